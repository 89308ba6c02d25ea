// ModelProto, FunctionProto, TypeProto and the small messages; the edge at which the reader's
// exceptions end.

#include <limits>

#include "base/text.h"
#include "model/read.h"

namespace hone::reading {
namespace {

Shape read_shape(Context& context, std::string_view message, UnknownFields& unknown) {
  using namespace wire;
  Shape made;
  read_fields(context, message, unknown, [&](pbf_reader& reader) {
    if (reader.tag_and_type() != bytes(shape::dim)) return false;
    if (made.size() >= max_rank) throw Malformed("a shape has too many dimensions");
    Dim& dim = made.emplace_back();
    read_fields(context, get_view(reader), dim.unknown, [&](pbf_reader& field) {
      switch (field.tag_and_type()) {
        case varint(dim::value):
          dim.value = field.get_int64();
          return true;
        case bytes(dim::param):
          dim.symbol = get_string(field);
          return true;
        case bytes(dim::denotation):
          dim.denotation = get_string(field);
          return true;
        default:
          return false;
      }
    });
    return true;
  });
  return made;
}

void read_tensor_type(Context& context, std::string_view message, Type& made) {
  using namespace wire;
  read_fields(context, message, made.unknown_in_kind, [&](pbf_reader& reader) {
    switch (reader.tag_and_type()) {
      case varint(tensor_type::element):
        made.element = static_cast<ElementType>(reader.get_int32());
        return true;
      case bytes(tensor_type::shape):
        made.shape = read_shape(context, get_view(reader), made.unknown_in_shape);
        return true;
      default:
        return false;
    }
  });
}

// Sequence and optional hold their element type in field 1, a map its key in 1 and its value in 2.
void read_nested_type(Context& context, std::string_view message, Type& made, int depth) {
  using namespace wire;
  const std::uint32_t inner = made.kind == Type::Kind::map ? bytes(map_type::value) : bytes(1);
  read_fields(context, message, made.unknown_in_kind, [&](pbf_reader& reader) {
    if (reader.tag_and_type() == inner) {
      made.inner = std::make_shared<const Type>(read_type(context, get_view(reader), depth + 1));
      return true;
    }
    if (made.kind != Type::Kind::map || reader.tag_and_type() != varint(map_type::key))
      return false;
    made.element = static_cast<ElementType>(reader.get_int32());
    return true;
  });
}

void read_opaque_type(Context& context, std::string_view message, Type& made) {
  using namespace wire;
  read_fields(context, message, made.unknown_in_kind, [&](pbf_reader& reader) {
    switch (reader.tag_and_type()) {
      case bytes(1):
        made.opaque_domain = get_string(reader);
        return true;
      case bytes(2):
        made.opaque_name = get_string(reader);
        return true;
      default:
        return false;
    }
  });
}

std::optional<Type::Kind> kind_of_field(std::uint32_t field) {
  using namespace wire;
  switch (field) {
    case bytes(type::tensor):
      return Type::Kind::tensor;
    case bytes(type::sparse_tensor):
      return Type::Kind::sparse_tensor;
    case bytes(type::sequence):
      return Type::Kind::sequence;
    case bytes(type::optional):
      return Type::Kind::optional;
    case bytes(type::map):
      return Type::Kind::map;
    case bytes(type::opaque):
      return Type::Kind::opaque;
    default:
      return std::nullopt;
  }
}

Model read_model(Context& context, std::string_view message) {
  using namespace wire;
  Model made;
  std::optional<std::string_view> main_graph;
  std::vector<std::string_view> functions;
  read_fields(context, message, made.unknown, [&](pbf_reader& reader) {
    switch (reader.tag_and_type()) {
      case varint(model::ir_version):
        made.ir_version = reader.get_int64();
        return true;
      case bytes(model::producer_name):
        made.producer_name = get_string(reader);
        return true;
      case bytes(model::producer_version):
        made.producer_version = get_string(reader);
        return true;
      case bytes(model::domain):
        made.domain = get_string(reader);
        return true;
      case varint(model::model_version):
        made.model_version = reader.get_int64();
        return true;
      case bytes(model::doc):
        made.doc = get_string(reader);
        return true;
      case bytes(model::metadata):
        return read_entry(get_view(reader), made.metadata);
      case bytes(model::opset_import):
        made.opsets.push_back(read_opset(context, get_view(reader)));
        return true;
      case bytes(model::functions):
        functions.push_back(get_view(reader));
        return true;
      case bytes(model::graph):
        if (main_graph) throw Malformed("it holds two main graphs");
        main_graph = get_view(reader);
        return true;
      default:
        return false;
    }
  });
  if (!main_graph) throw NoModel("it has no graph");
  read_graph(context, *main_graph, *made.graph, 0);
  for (const std::string_view function : functions) {
    made.functions.push_back(read_function(context, function));
  }
  return made;
}

}  // namespace

bool read_ints(wire::pbf_reader& reader, std::uint32_t field, std::vector<std::int64_t>& values) {
  if (reader.tag_and_type() == wire::varint(field)) {
    values.push_back(reader.get_int64());
    return true;
  }
  if (reader.tag_and_type() != wire::bytes(field)) return false;
  for_each_varint(get_view(reader),
                  [&](std::uint64_t value) { values.push_back(static_cast<std::int64_t>(value)); });
  return true;
}

bool read_entry(std::string_view message, Metadata& metadata) {
  std::pair<std::string, std::string> entry;
  wire::pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case wire::bytes(wire::entry::key):
        entry.first = get_string(reader);
        break;
      case wire::bytes(wire::entry::value):
        entry.second = get_string(reader);
        break;
      default:
        return false;
    }
  }
  metadata.push_back(std::move(entry));
  return true;
}

OpsetImport read_opset(Context& context, std::string_view message) {
  OpsetImport made;
  read_fields(context, message, made.unknown, [&](wire::pbf_reader& reader) {
    switch (reader.tag_and_type()) {
      case wire::bytes(wire::opset::domain):
        made.domain = get_string(reader);
        return true;
      case wire::varint(wire::opset::version):
        made.version = reader.get_int64();
        return true;
      default:
        return false;
    }
  });
  return made;
}

Type read_type(Context& context, std::string_view message, int depth) {
  if (depth > max_depth)
    throw Malformed("types are nested more than " + std::to_string(max_depth) + " deep");
  Type made;
  read_fields(context, message, made.unknown, [&](wire::pbf_reader& reader) {
    if (reader.tag_and_type() == wire::bytes(wire::type::denotation)) {
      made.denotation = get_string(reader);
      return true;
    }
    const auto kind = kind_of_field(reader.tag_and_type());
    if (!kind) return false;
    made.kind = *kind;
    const std::string_view body = get_view(reader);
    switch (*kind) {
      case Type::Kind::tensor:
      case Type::Kind::sparse_tensor:
        read_tensor_type(context, body, made);
        break;
      case Type::Kind::opaque:
        read_opaque_type(context, body, made);
        break;
      default:
        read_nested_type(context, body, made, depth);
        break;
    }
    return true;
  });
  return made;
}

Function read_function(Context& context, std::string_view message) {
  using namespace wire;
  Function made;
  made.body = std::make_unique<Graph>();
  Graph& body = *made.body;
  std::vector<std::string_view> nodes;
  std::vector<std::string_view> infos;
  std::vector<std::string_view> outputs;
  read_fields(context, message, made.unknown, [&](pbf_reader& reader) {
    switch (reader.tag_and_type()) {
      case bytes(function::name):
        made.name = get_string(reader);
        return true;
      case bytes(function::domain):
        made.domain = get_string(reader);
        return true;
      case bytes(function::overload):
        made.overload = get_string(reader);
        return true;
      case bytes(function::doc):
        made.doc = get_string(reader);
        return true;
      case bytes(function::metadata):
        return read_entry(get_view(reader), made.metadata);
      case bytes(function::opset_import):
        made.opsets.push_back(read_opset(context, get_view(reader)));
        return true;
      case bytes(function::attribute):
        made.attribute_names.push_back(get_string(reader));
        return true;
      case bytes(function::attribute_proto):
        made.attribute_defaults.push_back(read_attribute(context, get_view(reader), body, 0));
        return true;
      case bytes(function::input): {
        Value& value = find_or_declare(context, body, get_view(reader));
        if (value.is_graph_input())
          throw Malformed("the input '" + printable(value.name()) + "' is there twice");
        body.add_input(value);
        return true;
      }
      case bytes(function::output):
        outputs.push_back(get_view(reader));
        return true;
      case bytes(function::node):
        nodes.push_back(get_view(reader));
        return true;
      case bytes(function::value_info):
        infos.push_back(get_view(reader));
        return true;
      default:
        return false;
    }
  });
  read_nodes(context, nodes, body);
  for (const std::string_view info : infos) read_value_info(context, info, body);
  for (const std::string_view output : outputs)
    body.add_output(find_or_declare(context, body, output));
  return made;
}

}  // namespace hone::reading

namespace hone {
namespace {

Failure not_a_model(std::string_view why) {
  return fail(
      Fault::bad_input, "this is not a readable ONNX model", std::string(why),
      "check that the file is complete and is an .onnx file (not .ort, .pt or a Git LFS pointer)");
}

// The file is what it says, and what it says is no model.
Failure is_invalid(std::string_view why) {
  return fail(Fault::bad_input, "this ONNX model is not valid", std::string(why),
              "make it again with the tool it came from");
}

}  // namespace

Result<Model> parse_model(const Blob& bytes, const Path& folder) {
  if (bytes.empty()) return not_a_model("the file is empty");
  // protozero keeps lengths in 32 bits, and protobuf itself ends at 2 GiB.
  if (bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
    return not_a_model("it is larger than 4 GiB; weights of that size belong into external data");
  }
  reading::Context context{.backing = bytes.backing()};
  try {
    Model model = reading::read_model(context, bytes.view());
    HONE_TRY_DO(reading::attach_external_data(context, folder));
    reading::settle_repeated(context);
    return model;
  } catch (const reading::Malformed& problem) {
    return is_invalid(problem.what());
  } catch (const reading::NoModel& problem) {
    return not_a_model(problem.what());
  } catch (const protozero::exception& problem) {
    return not_a_model(std::string("the encoding is broken: ") + problem.what());
  }
}

Result<Model> load_model(const Path& path) {
  HONE_TRY(const Blob bytes, map_file(path));
  const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
  auto model = parse_model(bytes, folder);
  if (!model) {
    Error error = std::move(model).error();
    error.what = "cannot read '" + path.string() + "': " + error.what;
    return fail(std::move(error));
  }
  model->source = path;
  return model;
}

}  // namespace hone
