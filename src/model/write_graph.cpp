// ModelProto, GraphProto, NodeProto, AttributeProto and FunctionProto. Fields are written by
// ascending number, lists in the order of the graph: equal models give equal bytes.

#include "model/wire.h"
#include "model/write.h"

namespace hone::writing {
namespace {

Rope write_graph(const Graph& graph, const Placement& placement);

// One overload per kind of value an attribute can hold.
struct AttributeWriter {
  Rope& rope;
  const Placement& placement;

  void operator()(std::monostate) const {}
  void operator()(float value) const { rope.add_float(wire::attribute::f, value); }
  void operator()(std::int64_t value) const { rope.add_int(wire::attribute::i, value); }
  void operator()(const Blob& value) const { rope.add_blob(wire::attribute::s, value); }
  void operator()(const TensorPtr& value) const {
    rope.add_message(wire::attribute::t, write_tensor(*value, placement));
  }
  void operator()(const std::unique_ptr<Graph>& value) const {
    rope.add_message(wire::attribute::g, write_graph(*value, placement));
  }
  void operator()(const Attribute::Floats& values) const {
    for (const float value : values) rope.add_float(wire::attribute::floats, value);
  }
  void operator()(const Attribute::Ints& values) const {
    for (const std::int64_t value : values) rope.add_int(wire::attribute::ints, value);
  }
  void operator()(const std::vector<Blob>& values) const {
    for (const Blob& value : values) rope.add_blob(wire::attribute::strings, value);
  }
  void operator()(const std::vector<TensorPtr>& values) const {
    for (const TensorPtr& value : values) {
      rope.add_message(wire::attribute::tensors, write_tensor(*value, placement));
    }
  }
  void operator()(const std::vector<std::unique_ptr<Graph>>& values) const {
    for (const auto& value : values) {
      rope.add_message(wire::attribute::graphs, write_graph(*value, placement));
    }
  }
  void operator()(const SparseTensorPtr& value) const {
    rope.add_message(wire::attribute::sparse_tensor, write_sparse_tensor(*value, placement));
  }
  void operator()(const std::vector<SparseTensorPtr>& values) const {
    for (const SparseTensorPtr& value : values) {
      rope.add_message(wire::attribute::sparse_tensors, write_sparse_tensor(*value, placement));
    }
  }
  void operator()(const Type& value) const {
    rope.add_message(wire::attribute::tp, write_type(value));
  }
  void operator()(const std::vector<Type>& values) const {
    for (const Type& value : values)
      rope.add_message(wire::attribute::type_protos, write_type(value));
  }
};

Rope write_attribute(const Attribute& attribute, const Placement& placement) {
  Rope rope;
  rope.add_text(wire::attribute::name, attribute.name);
  std::visit(AttributeWriter{rope, placement}, attribute.held);
  rope.add_text(wire::attribute::doc, attribute.doc);
  if (attribute.type() != AttributeType::undefined) {
    rope.add_int(wire::attribute::type, static_cast<std::int32_t>(attribute.type()));
  }
  rope.add_text(wire::attribute::ref_attr_name, attribute.reference);
  rope.add_raw(attribute.unknown);
  return rope;
}

void write_names(Rope& rope, std::uint32_t field, const std::vector<Value*>& values) {
  for (const Value* value : values) {
    rope.add_bytes(field, value != nullptr ? std::string_view(value->name()) : std::string_view());
  }
}

Rope write_node(const Node& node, const Placement& placement) {
  Rope rope;
  write_names(rope, wire::node::input, node.inputs());
  write_names(rope, wire::node::output, node.outputs());
  rope.add_text(wire::node::name, node.name);
  rope.add_text(wire::node::op_type, node.op_type);
  for (const Attribute& attribute : node.attributes) {
    rope.add_message(wire::node::attribute, write_attribute(attribute, placement));
  }
  rope.add_text(wire::node::doc, node.doc);
  rope.add_text(wire::node::domain, node.domain);
  rope.add_text(wire::node::overload, node.overload);
  write_metadata(rope, wire::node::metadata, node.metadata);
  rope.add_raw(node.unknown);
  return rope;
}

Rope write_value_info(const Value& value) {
  Rope rope;
  rope.add_text(wire::value_info::name, value.name());
  if (value.type.is_known() || !value.type.unknown.empty() || !value.type.denotation.empty()) {
    rope.add_message(wire::value_info::type, write_type(value.type));
  }
  rope.add_text(wire::value_info::doc, value.doc);
  write_metadata(rope, wire::value_info::metadata, value.metadata);
  rope.add_raw(value.unknown);
  return rope;
}

// What belongs into value_info: values that say something and are not told of as input or output.
bool needs_value_info(const Graph& graph, const Value& value) {
  const bool says_something = value.type.is_known() || !value.doc.empty() ||
                              !value.metadata.empty() || !value.unknown.empty();
  if (!says_something || value.is_graph_input()) return false;
  if (!value.is_graph_output()) return true;
  for (const Value* output : graph.outputs()) {
    if (output == &value) return false;
  }
  return true;
}

// An initializer is found by name, so it carries its value's, whatever the tensor was called when
// it was made.
Rope write_initializer(const Value& value, const Placement& placement) {
  const Tensor& tensor = *value.initializer();
  if (tensor.name == value.name()) return write_tensor(tensor, placement);
  Tensor renamed = tensor;
  renamed.name = value.name();
  Placement moved;
  if (const auto planned = placement.find(&tensor); planned != placement.end()) {
    moved.emplace(&renamed, planned->second);
  }
  return write_tensor(renamed, moved);
}

void write_nodes(Rope& rope, std::uint32_t field, const Graph& graph, const Placement& placement) {
  for (const Node& node : graph.nodes()) rope.add_message(field, write_node(node, placement));
}

Rope write_graph(const Graph& graph, const Placement& placement) {
  Rope rope;
  write_nodes(rope, wire::graph::node, graph, placement);
  rope.add_text(wire::graph::name, graph.name);
  const std::vector<Value*> values = graph.values();
  for (const Value* value : values) {
    if (value->initializer())
      rope.add_message(wire::graph::initializer, write_initializer(*value, placement));
  }
  rope.add_text(wire::graph::doc, graph.doc);
  for (const Value* value : graph.inputs()) {
    rope.add_message(wire::graph::input, write_value_info(*value));
  }
  for (const Value* value : graph.outputs()) {
    rope.add_message(wire::graph::output, write_value_info(*value));
  }
  for (const Value* value : values) {
    if (needs_value_info(graph, *value)) {
      rope.add_message(wire::graph::value_info, write_value_info(*value));
    }
  }
  for (const Value* value : values) {
    if (value->sparse_initializer()) {
      rope.add_message(wire::graph::sparse_initializer,
                       write_sparse_tensor(*value->sparse_initializer(), placement));
    }
  }
  write_metadata(rope, wire::graph::metadata, graph.metadata);
  rope.add_raw(graph.unknown);
  return rope;
}

Rope write_opset(const OpsetImport& opset) {
  Rope rope;
  rope.add_text(wire::opset::domain, opset.domain);
  rope.add_int(wire::opset::version, opset.version);
  rope.add_raw(opset.unknown);
  return rope;
}

Rope write_function(const Function& function, const Placement& placement) {
  Rope rope;
  rope.add_text(wire::function::name, function.name);
  write_names(rope, wire::function::input, function.body->inputs());
  write_names(rope, wire::function::output, function.body->outputs());
  for (const std::string& name : function.attribute_names) {
    rope.add_bytes(wire::function::attribute, name);
  }
  write_nodes(rope, wire::function::node, *function.body, placement);
  rope.add_text(wire::function::doc, function.doc);
  for (const OpsetImport& opset : function.opsets) {
    rope.add_message(wire::function::opset_import, write_opset(opset));
  }
  rope.add_text(wire::function::domain, function.domain);
  for (const Attribute& attribute : function.attribute_defaults) {
    rope.add_message(wire::function::attribute_proto, write_attribute(attribute, placement));
  }
  for (const Value* value : function.body->values()) {
    if (value->type.is_known())
      rope.add_message(wire::function::value_info, write_value_info(*value));
  }
  rope.add_text(wire::function::overload, function.overload);
  write_metadata(rope, wire::function::metadata, function.metadata);
  rope.add_raw(function.unknown);
  return rope;
}

}  // namespace

Rope write_model(const Model& model, const Placement& placement) {
  Rope rope;
  rope.add_int(wire::model::ir_version, model.ir_version);
  rope.add_text(wire::model::producer_name, model.producer_name);
  rope.add_text(wire::model::producer_version, model.producer_version);
  rope.add_text(wire::model::domain, model.domain);
  if (model.model_version != 0) rope.add_int(wire::model::model_version, model.model_version);
  rope.add_text(wire::model::doc, model.doc);
  rope.add_message(wire::model::graph, write_graph(*model.graph, placement));
  for (const OpsetImport& opset : model.opsets) {
    rope.add_message(wire::model::opset_import, write_opset(opset));
  }
  write_metadata(rope, wire::model::metadata, model.metadata);
  for (const Function& function : model.functions) {
    rope.add_message(wire::model::functions, write_function(function, placement));
  }
  rope.add_raw(model.unknown);
  return rope;
}

}  // namespace hone::writing
