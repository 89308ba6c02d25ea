// AttributeProto.

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "model/read.h"

namespace hone::reading {
namespace {

// A message may hold several of the value fields; `type` says which one counts. Old files have no
// `type`: then the only field present does.
struct Fields {
  std::optional<float> f;
  std::optional<std::int64_t> i;
  std::optional<Blob> s;
  TensorPtr t;
  std::unique_ptr<Graph> g;
  SparseTensorPtr sparse;
  std::optional<Type> tp;
  Attribute::Floats floats;
  Attribute::Ints ints;
  std::vector<Blob> strings;
  std::vector<TensorPtr> tensors;
  std::vector<std::unique_ptr<Graph>> graphs;
  std::vector<SparseTensorPtr> sparses;
  std::vector<Type> types;
};

AttributeType guess_type(const Fields& fields) {
  const std::pair<bool, AttributeType> present[] = {
      {fields.f.has_value(), AttributeType::float_},
      {fields.i.has_value(), AttributeType::int_},
      {fields.s.has_value(), AttributeType::string},
      {fields.t != nullptr, AttributeType::tensor},
      {fields.g != nullptr, AttributeType::graph},
      {!fields.floats.empty(), AttributeType::floats},
      {!fields.ints.empty(), AttributeType::ints},
      {!fields.strings.empty(), AttributeType::strings},
      {!fields.tensors.empty(), AttributeType::tensors},
      {!fields.graphs.empty(), AttributeType::graphs},
      {fields.sparse != nullptr, AttributeType::sparse_tensor},
      {!fields.sparses.empty(), AttributeType::sparse_tensors},
      {fields.tp.has_value(), AttributeType::type},
      {!fields.types.empty(), AttributeType::types},
  };
  for (const auto& [is_there, type] : present) {
    if (is_there) return type;
  }
  return AttributeType::undefined;
}

template <class T>
T required(T value, const Attribute& attribute) {
  if (!value) {
    throw Malformed("the attribute '" + printable(attribute.name) +
                    "' is declared with a type but has no value");
  }
  return value;
}

void choose(Fields& fields, AttributeType type, Attribute& attribute) {
  switch (type) {
    case AttributeType::undefined:
      return;
    // proto3 leaves out a zero, an empty string and an empty list.
    case AttributeType::float_:
      attribute.held = fields.f.value_or(0.0f);
      return;
    case AttributeType::int_:
      attribute.held = fields.i.value_or(0);
      return;
    case AttributeType::string:
      attribute.held = fields.s.value_or(Blob{});
      return;
    case AttributeType::tensor:
      attribute.held = required(std::move(fields.t), attribute);
      return;
    case AttributeType::graph:
      attribute.held = required(std::move(fields.g), attribute);
      return;
    case AttributeType::floats:
      attribute.held = std::move(fields.floats);
      return;
    case AttributeType::ints:
      attribute.held = std::move(fields.ints);
      return;
    case AttributeType::strings:
      attribute.held = std::move(fields.strings);
      return;
    case AttributeType::tensors:
      attribute.held = std::move(fields.tensors);
      return;
    case AttributeType::graphs:
      attribute.held = std::move(fields.graphs);
      return;
    case AttributeType::sparse_tensor:
      attribute.held = required(std::move(fields.sparse), attribute);
      return;
    case AttributeType::sparse_tensors:
      attribute.held = std::move(fields.sparses);
      return;
    case AttributeType::type:
      attribute.held = *required(std::move(fields.tp), attribute);
      return;
    case AttributeType::types:
      attribute.held = std::move(fields.types);
      return;
  }
  throw Malformed("the attribute '" + printable(attribute.name) + "' is of type " +
                  std::to_string(static_cast<std::int32_t>(type)) + ", which ONNX does not define");
}

bool read_floats(wire::pbf_reader& reader, Attribute::Floats& values) {
  switch (reader.tag_and_type()) {
    case wire::fixed32(wire::attribute::floats):
      values.push_back(reader.get_float());
      return true;
    case wire::bytes(wire::attribute::floats): {
      const std::string_view packed = get_view(reader);
      if (packed.size() % sizeof(float) != 0) throw Malformed("a list of floats is cut short");
      const std::size_t before = values.size();
      values.resize(before + packed.size() / sizeof(float));
      if (!packed.empty()) std::memcpy(values.data() + before, packed.data(), packed.size());
      return true;
    }
    default:
      return false;
  }
}

std::unique_ptr<Graph> read_subgraph(Context& context, std::string_view message, Graph& parent,
                                     int depth) {
  auto graph = std::make_unique<Graph>(&parent);
  read_graph(context, message, *graph, depth + 1);
  return graph;
}

bool read_value(Context& context, wire::pbf_reader& reader, Fields& fields, Graph& graph,
                int depth) {
  using namespace wire;
  if (read_floats(reader, fields.floats)) return true;
  if (read_ints(reader, attribute::ints, fields.ints)) return true;
  switch (reader.tag_and_type()) {
    case fixed32(attribute::f):
      fields.f = reader.get_float();
      return true;
    case varint(attribute::i):
      fields.i = reader.get_int64();
      return true;
    case bytes(attribute::s):
      fields.s = Blob(get_view(reader), context.backing);
      return true;
    case bytes(attribute::t):
      fields.t = read_tensor(context, get_view(reader));
      return true;
    case bytes(attribute::g):
      fields.g = read_subgraph(context, get_view(reader), graph, depth);
      return true;
    case bytes(attribute::strings):
      context.count_thing();
      fields.strings.emplace_back(get_view(reader), context.backing);
      return true;
    case bytes(attribute::tensors):
      fields.tensors.push_back(read_tensor(context, get_view(reader)));
      return true;
    case bytes(attribute::graphs):
      fields.graphs.push_back(read_subgraph(context, get_view(reader), graph, depth));
      return true;
    case bytes(attribute::sparse_tensor):
      fields.sparse = read_sparse_tensor(context, get_view(reader));
      return true;
    case bytes(attribute::sparse_tensors):
      fields.sparses.push_back(read_sparse_tensor(context, get_view(reader)));
      return true;
    case bytes(attribute::tp):
      fields.tp = read_type(context, get_view(reader), 0);
      return true;
    case bytes(attribute::type_protos):
      fields.types.push_back(read_type(context, get_view(reader), 0));
      return true;
    default:
      return false;
  }
}

}  // namespace

Attribute read_attribute(Context& context, std::string_view message, Graph& graph, int depth) {
  using namespace wire;
  context.count_thing();
  Attribute made;
  Fields fields;
  std::optional<AttributeType> declared;
  read_fields(context, message, made.unknown, [&](pbf_reader& reader) {
    if (read_value(context, reader, fields, graph, depth)) return true;
    switch (reader.tag_and_type()) {
      case bytes(attribute::name):
        made.name = get_string(reader);
        return true;
      case bytes(attribute::doc):
        made.doc = get_string(reader);
        return true;
      case bytes(attribute::ref_attr_name):
        made.reference = get_string(reader);
        return true;
      case varint(attribute::type):
        declared = static_cast<AttributeType>(reader.get_int32());
        return true;
      default:
        return false;
    }
  });
  if (!made.reference.empty()) {
    made.declared = declared.value_or(AttributeType::undefined);
  } else {
    choose(fields, declared.value_or(guess_type(fields)), made);
  }
  return made;
}

}  // namespace hone::reading
