#include "ep/sim/nested_model.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "ep/element_types.h"
#include "ep/sim/attributes.h"

namespace hone::ep::sim {
namespace {

// Smaller initializers must be inside the model.
constexpr std::size_t least_external_bytes = 128;

// A `value` is a tensor, for which no attribute can be made; Expand of a scalar is the same.
bool is_filled_shape(const GraphNode& node) {
  return node.op == "ConstantOfShape" && (node.domain.empty() || node.domain == "ai.onnx");
}

class Builder {
 public:
  explicit Builder(const Ort& ort) : ort_(ort) {}

  Status start() {
    HONE_TRY(graph_, make<OrtGraph>(ort_, ort_.api.ReleaseGraph, ort_.editor.CreateGraph));
    HONE_TRY(memory_, make<OrtMemoryInfo>(ort_, ort_.api.ReleaseMemoryInfo,
                                          ort_.api.CreateCpuMemoryInfo, 0, 0));
    return done();
  }

  Result<std::vector<std::string>> set_ends(const std::vector<const OrtValueInfo*>& values,
                                            decltype(ModelEditorApi::SetGraphInputs) set);
  Status add_constants(const GraphNode& node);
  Status add_node(const GraphNode& node);
  Result<Owned<OrtModel>> finish(const std::vector<Opset>& opsets);
  std::vector<std::unique_ptr<char[]>> take_weights() { return std::move(weights_); }

 private:
  // Initializers get names of ours: the optimizer of the session around has made up some for what
  // it added, and the nested one makes up the same ones again and stumbles over them.
  std::string new_name() const { return "hone/weight/" + std::to_string(weights_.size()); }
  std::string nested_name(const std::string& name) const {
    const auto constant = constants_.find(name);
    return constant == constants_.end() ? name : constant->second;
  }
  // `shape` is not the source's own where a one-element tensor becomes a scalar.
  Status add_initializer(const std::string& name, const OrtValue* source,
                         const std::vector<std::int64_t>* shape = nullptr);
  Status add_filled_shape(const GraphNode& node, const OrtOpAttr* value);

  const Ort& ort_;
  Owned<OrtGraph> graph_{nullptr, nullptr};
  Owned<OrtMemoryInfo> memory_{nullptr, nullptr};
  std::vector<std::unique_ptr<char[]>> weights_;
  std::unordered_map<std::string, std::string> constants_;  // their names in the nested model
};

Result<std::vector<std::string>> Builder::set_ends(const std::vector<const OrtValueInfo*>& values,
                                                   decltype(ModelEditorApi::SetGraphInputs) set) {
  std::vector<std::string> names;
  std::vector<OrtValueInfo*> ends;
  for (const OrtValueInfo* value : values) {
    HONE_TRY(const char* name, ask<const char*>(ort_, ort_.api.GetValueInfoName, value));
    HONE_TRY(const OrtTypeInfo* type,
             ask<const OrtTypeInfo*>(ort_, ort_.api.GetValueInfoTypeInfo, value));
    HONE_TRY(auto end, make<OrtValueInfo>(ort_, ort_.api.ReleaseValueInfo,
                                          ort_.editor.CreateValueInfo, name, type));
    names.emplace_back(name);
    ends.push_back(end.release());
  }
  HONE_TRY_DO(check(ort_, set(graph_.get(), ends.data(), ends.size())));
  return names;
}

Status Builder::add_initializer(const std::string& name, const OrtValue* source,
                                const std::vector<std::int64_t>* shape) {
  HONE_TRY(const auto type,
           make<OrtTensorTypeAndShapeInfo>(ort_, ort_.api.ReleaseTensorTypeAndShapeInfo,
                                           ort_.api.GetTensorTypeAndShape, source));
  HONE_TRY(const int element, ask<int>(ort_, ort_.api.GetTensorElementType, type.get()));
  HONE_TRY(const auto rank, ask<std::size_t>(ort_, ort_.api.GetDimensionsCount, type.get()));
  std::vector<std::int64_t> dims(rank);
  HONE_TRY_DO(check(ort_, ort_.api.GetDimensions(type.get(), dims.data(), rank)));
  if (shape) dims = *shape;
  HONE_TRY(const auto bytes, ask<std::size_t>(ort_, ort_.api.GetTensorSizeInBytes, source));
  HONE_TRY(const void* elements, ask<const void*>(ort_, ort_.api.GetTensorData, source));

  auto copy = std::make_unique<char[]>(std::max<std::size_t>(bytes, 1));
  if (bytes > 0) std::memcpy(copy.get(), elements, bytes);
  HONE_TRY(auto value,
           make<OrtValue>(ort_, ort_.api.ReleaseValue, ort_.api.CreateTensorWithDataAsOrtValue,
                          memory_.get(), static_cast<void*>(copy.get()), bytes, dims.data(),
                          dims.size(), element));
  weights_.push_back(std::move(copy));
  return check(ort_, ort_.editor.AddInitializerToGraph(graph_.get(), name.c_str(), value.release(),
                                                       bytes >= least_external_bytes));
}

Status Builder::add_constants(const GraphNode& node) {
  for (const auto& input : node.inputs) {
    if (!input || !input->is_constant || constants_.contains(input->name)) continue;
    const std::string name = new_name();
    constants_.emplace(input->name, name);
    HONE_TRY(const OrtValue* value,
             ask<const OrtValue*>(ort_, ort_.api.ValueInfo_GetInitializerValue, input->handle));
    HONE_TRY_DO(add_initializer(name, value));
  }
  return done();
}

Status Builder::add_filled_shape(const GraphNode& node, const OrtOpAttr* value) {
  const std::string& output = node.outputs.at(0)->name;
  const std::string scalar = new_name();
  HONE_TRY(const auto tensor, make<OrtValue>(ort_, ort_.api.ReleaseValue,
                                             ort_.api.OpAttr_GetTensorAttributeAsOrtValue, value));
  const std::vector<std::int64_t> no_dims;
  HONE_TRY_DO(add_initializer(scalar, tensor.get(), &no_dims));
  HONE_TRY(
      auto made,
      make_node(
          ort_,
          {"Expand", "", node.name, {scalar, nested_name(node.inputs.at(0)->name)}, {output}, {}}));
  return check(ort_, ort_.editor.AddNodeToGraph(graph_.get(), made.release()));
}

Status Builder::add_node(const GraphNode& node) {
  if (is_filled_shape(node)) {
    const auto value =
        ask<const OrtOpAttr*>(ort_, ort_.api.Node_GetAttributeByName, node.handle, "value");
    if (value && *value) return add_filled_shape(node, *value);
  }
  const auto names = [&](const std::vector<std::optional<GraphValue>>& values) {
    std::vector<std::string> all;
    for (const auto& value : values) all.push_back(value ? nested_name(value->name) : "");
    return all;
  };
  HONE_TRY(auto attributes, copy_attributes(ort_, node.handle));
  HONE_TRY(auto made, make_node(ort_, {node.op, node.domain, node.name, names(node.inputs),
                                       names(node.outputs), std::move(attributes)}));
  return check(ort_, ort_.editor.AddNodeToGraph(graph_.get(), made.release()));
}

Result<Owned<OrtModel>> Builder::finish(const std::vector<Opset>& opsets) {
  std::vector<const char*> domains;
  std::vector<int> versions;
  for (const Opset& opset : opsets) {
    domains.push_back(opset.domain.c_str());
    versions.push_back(static_cast<int>(opset.version));
  }
  HONE_TRY(auto model, make<OrtModel>(ort_, ort_.api.ReleaseModel, ort_.editor.CreateModel,
                                      domains.data(), versions.data(), domains.size()));
  HONE_TRY_DO(check(ort_, ort_.editor.AddGraphToModel(model.get(), graph_.release())));
  return model;
}

bool is_built_in(const std::string& domain) {
  return domain.empty() || domain.starts_with("ai.onnx") || domain.starts_with("com.microsoft") ||
         domain.starts_with("com.ms.");
}

std::optional<std::string> odd_type(const std::optional<GraphValue>& value) {
  if (!value) return std::nullopt;
  if (!value->type.is_tensor()) return "'" + value->name + "' is not a tensor";
  if (value->type.element == element_string) return "'" + value->name + "' holds strings";
  return std::nullopt;
}

}  // namespace

Result<NestedModel> build_model(const Ort& ort, const CompileRequest& group) {
  const Api& api = ort.api;
  HONE_TRY(const auto nodes, read_nodes(ort, group.graph));
  HONE_TRY(const auto inputs, ask_all<const OrtValueInfo*>(ort, group.fused, api.Node_GetNumInputs,
                                                           api.Node_GetInputs));
  HONE_TRY(const auto outputs, ask_all<const OrtValueInfo*>(
                                   ort, group.fused, api.Node_GetNumOutputs, api.Node_GetOutputs));
  Builder builder(ort);
  NestedModel nested;
  HONE_TRY_DO(builder.start());
  HONE_TRY(nested.inputs, builder.set_ends(inputs, ort.editor.SetGraphInputs));
  HONE_TRY(nested.outputs, builder.set_ends(outputs, ort.editor.SetGraphOutputs));
  for (const GraphNode& node : nodes) {
    HONE_TRY_DO(builder.add_constants(node));
    HONE_TRY_DO(builder.add_node(node));
  }
  HONE_TRY(const auto opsets, read_opsets(ort, group.graph));
  HONE_TRY(nested.model, builder.finish(opsets));
  nested.weights = builder.take_weights();
  return nested;
}

Result<std::optional<std::string>> obstacle_to_nesting(const Ort& ort, const GraphNode& node) {
  using Obstacle = std::optional<std::string>;
  if (node.holds_subgraph) return Obstacle("it holds a subgraph");
  if (!is_built_in(node.domain)) {
    return Obstacle("the domain '" + node.domain + "' is not ONNX Runtime's own");
  }
  for (const auto* values : {&node.inputs, &node.outputs}) {
    for (const auto& value : *values) {
      if (auto odd = odd_type(value)) return odd;
    }
  }
  if (is_filled_shape(node)) return Obstacle();
  HONE_TRY(const auto attribute, obstacle_to_copying(ort, node.handle));
  if (!attribute) return Obstacle();
  return Obstacle("its attribute '" + *attribute + "' cannot be copied");
}

}  // namespace hone::ep::sim
