// GraphProto and NodeProto: declares every name, then links nodes to the values they mean.

#include <algorithm>

#include "base/text.h"
#include "model/read.h"

namespace hone::reading {
namespace {

void check_depth(int depth) {
  if (depth > max_depth) {
    throw Malformed("graphs or types are nested more than " + std::to_string(max_depth) + " deep");
  }
}

// Files need not be in order, so every value a node makes is declared before any node is linked.
void declare_outputs(Context& context, std::string_view message, Graph& graph) {
  wire::pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    if (reader.tag_and_type() != wire::bytes(wire::node::output)) {
      reader.skip();
      continue;
    }
    const std::string_view name = get_view(reader);
    if (!name.empty()) find_or_declare(context, graph, name);
  }
}

// The value a name stands for: in this graph, in those around it, or (an undefined name) a new one
// here.
Value& resolve(Context& context, Graph& graph, std::string_view name) {
  if (Value* known = graph.lookup(name)) return *known;
  return find_or_declare(context, graph, name);
}

Value* resolve_input(Context& context, Graph& graph, std::string_view name) {
  return name.empty() ? nullptr : &resolve(context, graph, name);
}

Value* claim_output(Context& context, Graph& graph, std::string_view name) {
  if (name.empty()) return nullptr;
  Value& value = find_or_declare(context, graph, name);
  if (value.producer() != nullptr || value.is_graph_input() || value.initializer()) {
    throw Malformed("the value '" + printable(name) + "' is defined twice");
  }
  return &value;
}

void check_distinct(std::vector<Value*> outputs) {
  std::sort(outputs.begin(), outputs.end());
  const auto twice =
      std::adjacent_find(outputs.begin(), outputs.end(),
                         [](const Value* a, const Value* b) { return a == b && a != nullptr; });
  if (twice != outputs.end()) {
    throw Malformed("the value '" + printable((*twice)->name()) + "' is defined twice");
  }
}

void read_node(Context& context, std::string_view message, Graph& graph, int depth) {
  using namespace wire;
  context.count_thing();
  Node& made = graph.add_node({}, {}, {});
  std::vector<Value*> inputs;
  std::vector<Value*> outputs;
  read_fields(context, message, made.unknown, [&](pbf_reader& reader) {
    switch (reader.tag_and_type()) {
      case bytes(node::input):
        inputs.push_back(resolve_input(context, graph, get_view(reader)));
        return true;
      case bytes(node::output):
        outputs.push_back(claim_output(context, graph, get_view(reader)));
        return true;
      case bytes(node::name):
        made.name = get_string(reader);
        return true;
      case bytes(node::op_type):
        made.op_type = get_string(reader);
        return true;
      case bytes(node::domain):
        made.domain = get_string(reader);
        return true;
      case bytes(node::overload):
        made.overload = get_string(reader);
        return true;
      case bytes(node::doc):
        made.doc = get_string(reader);
        return true;
      case bytes(node::metadata):
        return read_entry(get_view(reader), made.metadata);
      case bytes(node::attribute):
        made.attributes.push_back(read_attribute(context, get_view(reader), graph, depth));
        return true;
      default:
        return false;
    }
  });
  check_distinct(outputs);
  made.set_inputs(std::move(inputs));
  made.set_outputs(std::move(outputs));
}

void add_initializer(Context& context, Graph& graph, TensorPtr tensor) {
  Value& value = find_or_declare(context, graph, tensor->name);
  if (value.initializer()) {
    context.repeated.push_back({&graph, &value, std::move(tensor)});
  } else {
    graph.set_initializer(value, std::move(tensor));
  }
}

bool are_same(const Tensor& a, const Tensor& b) {
  if (a.type != b.type || a.dims != b.dims || a.strings != b.strings) return false;
  return a.absent || b.absent || a.dense.view() == b.dense.view();
}

}  // namespace

void settle_repeated(const Context& context) {
  for (const Repeated& repeated : context.repeated) {
    const Tensor& first = *repeated.value->initializer();
    if (!are_same(first, *repeated.again)) {
      throw Malformed("the value '" + printable(repeated.value->name()) + "' is defined twice");
    }
    const bool is_better = !repeated.again->absent && (first.absent || repeated.again->external);
    if (is_better) repeated.graph->set_initializer(*repeated.value, repeated.again);
  }
}

Value& find_or_declare(Context& context, Graph& graph, std::string_view name) {
  if (Value* known = graph.find(name)) return *known;
  context.count_thing();
  return graph.declare_value(std::string(name));
}

Value& read_value_info(Context& context, std::string_view message, Graph& graph) {
  using namespace wire;
  std::string_view name;
  pbf_reader names(message.data(), message.size());
  while (names.next(value_info::name, pbf_wire_type::length_delimited)) name = get_view(names);

  Value& value = resolve(context, graph, name);
  read_fields(context, message, value.unknown, [&](pbf_reader& reader) {
    switch (reader.tag_and_type()) {
      case bytes(value_info::name):
        reader.skip();
        return true;
      case bytes(value_info::type):
        value.type = read_type(context, get_view(reader), 0);
        return true;
      case bytes(value_info::doc):
        value.doc = get_string(reader);
        return true;
      case bytes(value_info::metadata):
        return read_entry(get_view(reader), value.metadata);
      default:
        return false;
    }
  });
  return value;
}

void read_nodes(Context& context, const std::vector<std::string_view>& messages, Graph& graph) {
  for (const std::string_view message : messages) declare_outputs(context, message, graph);
  for (const std::string_view message : messages) read_node(context, message, graph, 0);
}

namespace {

// The messages of a graph that can only be read once all names of the graph are known.
struct Deferred {
  std::vector<std::string_view> nodes;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> value_infos;
};

void read_input(Context& context, std::string_view message, Graph& graph) {
  wire::pbf_reader names(message.data(), message.size());
  std::string_view name;
  while (names.next(wire::value_info::name, wire::pbf_wire_type::length_delimited))
    name = get_view(names);
  Value& value = find_or_declare(context, graph, name);
  if (value.is_graph_input()) throw Malformed("the input '" + printable(name) + "' is there twice");
  graph.add_input(value);
  read_value_info(context, message, graph);
}

void read_sparse_initializer(Context& context, std::string_view message, Graph& graph) {
  SparseTensorPtr tensor = read_sparse_tensor(context, message);
  Value& value = find_or_declare(context, graph, tensor->values->name);
  graph.set_sparse_initializer(value, std::move(tensor));
}

Deferred read_definitions(Context& context, std::string_view message, Graph& graph) {
  using namespace wire;
  Deferred later;
  read_fields(context, message, graph.unknown, [&](pbf_reader& reader) {
    switch (reader.tag_and_type()) {
      case bytes(graph::node):
        later.nodes.push_back(get_view(reader));
        return true;
      case bytes(graph::output):
        later.outputs.push_back(get_view(reader));
        return true;
      case bytes(graph::value_info):
        later.value_infos.push_back(get_view(reader));
        return true;
      case bytes(graph::name):
        graph.name = get_string(reader);
        return true;
      case bytes(graph::doc):
        graph.doc = get_string(reader);
        return true;
      case bytes(graph::metadata):
        return read_entry(get_view(reader), graph.metadata);
      case bytes(graph::input):
        read_input(context, get_view(reader), graph);
        return true;
      case bytes(graph::initializer):
        add_initializer(context, graph, read_tensor(context, get_view(reader)));
        return true;
      case bytes(graph::sparse_initializer):
        read_sparse_initializer(context, get_view(reader), graph);
        return true;
      default:
        return false;
    }
  });
  return later;
}

}  // namespace

void read_graph(Context& context, std::string_view message, Graph& graph, int depth) {
  check_depth(depth);
  const Deferred later = read_definitions(context, message, graph);
  for (const std::string_view node : later.nodes) declare_outputs(context, node, graph);
  for (const std::string_view info : later.value_infos) read_value_info(context, info, graph);
  std::vector<Value*> outputs;
  for (const std::string_view output : later.outputs)
    outputs.push_back(&read_value_info(context, output, graph));
  for (const std::string_view node : later.nodes) read_node(context, node, graph, depth);
  for (Value* value : outputs) graph.add_output(*value);
}

}  // namespace hone::reading
