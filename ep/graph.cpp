#include "ep/graph.h"

#include <algorithm>

namespace hone::ep {
namespace {

Result<std::string> read_text(const Ort& ort, auto function, auto object) {
  HONE_TRY(const char* text, ask<const char*>(ort, function, object));
  return std::string(text ? text : "");
}

bool has_shape(const Ort& ort, const OrtTensorTypeAndShapeInfo* tensor) {
  // 1.23 cannot tell an unknown rank from a scalar.
  return !ort.api.TensorTypeAndShape_HasShape || ort.api.TensorTypeAndShape_HasShape(tensor);
}

Result<std::vector<Dim>> read_shape(const Ort& ort, const OrtTensorTypeAndShapeInfo* tensor) {
  HONE_TRY(const auto rank, ask<std::size_t>(ort, ort.api.GetDimensionsCount, tensor));
  std::vector<std::int64_t> numbers(rank);
  std::vector<const char*> symbols(rank);
  HONE_TRY_DO(check(ort, ort.api.GetDimensions(tensor, numbers.data(), rank)));
  HONE_TRY_DO(check(ort, ort.api.GetSymbolicDimensions(tensor, symbols.data(), rank)));
  std::vector<Dim> shape(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (numbers[i] >= 0) shape[i].value = numbers[i];
    if (symbols[i]) shape[i].symbol = symbols[i];
  }
  return shape;
}

Result<ValueType> read_type(const Ort& ort, const OrtValueInfo* value) {
  ValueType type;
  HONE_TRY(const OrtTypeInfo* info,
           ask<const OrtTypeInfo*>(ort, ort.api.GetValueInfoTypeInfo, value));
  if (!info) return type;
  HONE_TRY(const int kind, ask<int>(ort, ort.api.GetOnnxTypeFromTypeInfo, info));
  type.kind = static_cast<OnnxType>(kind);
  if (!type.is_tensor()) return type;
  HONE_TRY(const OrtTensorTypeAndShapeInfo* tensor,
           ask<const OrtTensorTypeAndShapeInfo*>(ort, ort.api.CastTypeInfoToTensorInfo, info));
  HONE_TRY(type.element, ask<int>(ort, ort.api.GetTensorElementType, tensor));
  if (has_shape(ort, tensor)) {
    HONE_TRY(type.shape, read_shape(ort, tensor));
  }
  return type;
}

Result<std::vector<std::optional<GraphValue>>> read_operands(
    const Ort& ort, const std::vector<const OrtValueInfo*>& handles) {
  std::vector<std::optional<GraphValue>> operands;
  for (const OrtValueInfo* handle : handles) {
    std::optional<GraphValue> operand;
    if (handle) {
      HONE_TRY(operand, read_value(ort, handle));
    }
    operands.push_back(std::move(operand));
  }
  return operands;
}

// Null when the node has none of that name. The function reports its absence as an error.
const OrtOpAttr* find_attribute(const Ort& ort, const OrtNode* node, const char* name) {
  const OrtOpAttr* attribute = nullptr;
  OrtStatus* status = ort.api.Node_GetAttributeByName(node, name, &attribute);
  if (status) ort.api.ReleaseStatus(status);
  return attribute;
}

}  // namespace

bool ValueType::is_static() const {
  return shape && std::all_of(shape->begin(), shape->end(),
                              [](const Dim& dim) { return dim.value.has_value(); });
}

std::uint64_t ValueType::least_elements() const {
  std::uint64_t elements = 1;
  if (!shape) return elements;
  for (const Dim& dim : *shape) elements *= static_cast<std::uint64_t>(dim.value.value_or(1));
  return elements;
}

std::string GraphNode::described() const {
  if (!name.empty()) return "'" + name + "' (" + op + ")";
  for (const auto& output : outputs) {
    if (output) return op + " making '" + output->name + "'";
  }
  return op;
}

Result<GraphValue> read_value(const Ort& ort, const OrtValueInfo* value) {
  GraphValue facts;
  facts.handle = value;
  HONE_TRY(facts.name, read_text(ort, ort.api.GetValueInfoName, value));
  HONE_TRY(facts.type, read_type(ort, value));
  HONE_TRY(facts.is_constant, ask<bool>(ort, ort.api.ValueInfo_IsConstantInitializer, value));
  return facts;
}

Result<std::vector<GraphValue>> read_values(const Ort& ort,
                                            const std::vector<const OrtValueInfo*>& values) {
  std::vector<GraphValue> facts;
  for (const OrtValueInfo* value : values) {
    HONE_TRY(facts.emplace_back(), read_value(ort, value));
  }
  return facts;
}

Result<GraphNode> read_node(const Ort& ort, const OrtNode* node) {
  const Api& api = ort.api;
  GraphNode facts;
  facts.handle = node;
  HONE_TRY(facts.name, read_text(ort, api.Node_GetName, node));
  HONE_TRY(facts.op, read_text(ort, api.Node_GetOperatorType, node));
  HONE_TRY(facts.domain, read_text(ort, api.Node_GetDomain, node));
  HONE_TRY(facts.since_version, ask<int>(ort, api.Node_GetSinceVersion, node));
  HONE_TRY(const auto inputs,
           ask_all<const OrtValueInfo*>(ort, node, api.Node_GetNumInputs, api.Node_GetInputs));
  HONE_TRY(const auto outputs,
           ask_all<const OrtValueInfo*>(ort, node, api.Node_GetNumOutputs, api.Node_GetOutputs));
  HONE_TRY(facts.inputs, read_operands(ort, inputs));
  HONE_TRY(facts.outputs, read_operands(ort, outputs));
  HONE_TRY(const auto implicit,
           ask_all<const OrtValueInfo*>(ort, node, api.Node_GetNumImplicitInputs,
                                        api.Node_GetImplicitInputs));
  for (const OrtValueInfo* value : implicit) {
    HONE_TRY(facts.implicit_inputs.emplace_back(), read_text(ort, api.GetValueInfoName, value));
  }
  HONE_TRY(const auto subgraphs, ask<std::size_t>(ort, api.Node_GetNumSubgraphs, node));
  facts.holds_subgraph = subgraphs > 0;
  return facts;
}

Result<std::vector<GraphNode>> read_nodes(const Ort& ort, const OrtGraph* graph) {
  HONE_TRY(const auto handles,
           ask_all<const OrtNode*>(ort, graph, ort.api.Graph_GetNumNodes, ort.api.Graph_GetNodes));
  std::vector<GraphNode> nodes;
  for (const OrtNode* handle : handles) {
    HONE_TRY(nodes.emplace_back(), read_node(ort, handle));
  }
  return nodes;
}

Result<bool> is_top_level(const Ort& ort, const OrtGraph* graph) {
  HONE_TRY(const OrtNode* parent, ask<const OrtNode*>(ort, ort.api.Graph_GetParentNode, graph));
  return parent == nullptr;
}

Result<std::string> model_path(const Ort& ort, const OrtGraph* graph) {
  return read_text(ort, ort.api.Graph_GetModelPath, graph);
}

Result<std::vector<Opset>> read_opsets(const Ort& ort, const OrtGraph* graph) {
  HONE_TRY(const auto count, ask<std::size_t>(ort, ort.api.Graph_GetNumOperatorSets, graph));
  std::vector<const char*> domains(count);
  std::vector<std::int64_t> versions(count);
  HONE_TRY_DO(
      check(ort, ort.api.Graph_GetOperatorSets(graph, domains.data(), versions.data(), count)));
  std::vector<Opset> opsets;
  for (std::size_t i = 0; i < count; ++i) opsets.push_back({domains[i], versions[i]});
  return opsets;
}

Result<std::string> string_attribute(const Ort& ort, const OrtNode* node, const char* name) {
  const OrtOpAttr* attribute = find_attribute(ort, node, name);
  if (!attribute) return std::string();
  HONE_TRY(const int kind, ask<int>(ort, ort.api.OpAttr_GetType, attribute));
  if (kind != attribute_string) return std::string();
  // The first call asks for the size, which it answers together with an error.
  std::size_t size = 0;
  OrtStatus* too_small = ort.api.ReadOpAttr(attribute, attribute_string, nullptr, 0, &size);
  if (too_small) ort.api.ReleaseStatus(too_small);
  std::string text(size, '\0');
  if (size > 0) {
    HONE_TRY_DO(
        check(ort, ort.api.ReadOpAttr(attribute, attribute_string, text.data(), size, &size)));
  }
  return text;
}

Result<std::int64_t> int_attribute(const Ort& ort, const OrtNode* node, const char* name,
                                   std::int64_t otherwise) {
  const OrtOpAttr* attribute = find_attribute(ort, node, name);
  if (!attribute) return otherwise;
  HONE_TRY(const int kind, ask<int>(ort, ort.api.OpAttr_GetType, attribute));
  if (kind != attribute_int) return otherwise;
  std::int64_t number = otherwise;
  std::size_t size = 0;
  HONE_TRY_DO(
      check(ort, ort.api.ReadOpAttr(attribute, attribute_int, &number, sizeof(number), &size)));
  return number;
}

}  // namespace hone::ep
