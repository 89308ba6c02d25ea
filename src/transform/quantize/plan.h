#pragma once
// Which tensors of a model get quantized, and how: made once, node by node in the order of the
// graph, before anything is measured. So calibration looks only at tensors that need it.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/model.h"
#include "transform/quantize/settings.h"

namespace hone {

// A tensor that becomes integers and back: activations by QuantizeLinear and DequantizeLinear,
// constants by a quantized initializer and DequantizeLinear.
struct TensorPlan {
  Value* value = nullptr;
  TensorPtr constant;      // its numbers, when they never change
  bool is_weight = false;  // has the weights' type; a constant beside an activation has that one's
  std::optional<std::size_t> axis;  // of a constant: a scale for each index of it
  const Value* shares = nullptr;    // the tensor whose scale it takes
  std::optional<RealRange> fixed_range;
  std::string measured_at;  // the tensor whose range is its own, by name
};

// A bias becomes 32-bit integers, at the scale of input times weight.
struct BiasPlan {
  Value* value = nullptr;
  TensorPtr constant;
  Node* node = nullptr;
  const Value* input = nullptr;
  const Value* weight = nullptr;
  bool is_weight_constant = false;
  float beta = 1;  // the node adds beta times the bias
};

struct QuantizePlan {
  std::vector<TensorPlan> tensors;  // in the order in which they were first met
  std::vector<BiasPlan> biases;
  std::size_t quantized_nodes = 0;
  // Weights in Constant nodes, where the preset does as ONNX Runtime's tools do.
  std::size_t weights_as_activations = 0;
  std::size_t removed_nodes = 0;  // Relu and Clip that the ranges of quantized tensors stand for
  std::vector<std::string> notes;
};

// Marks tensors on behalf of the op rules. Null values and those that are no floats are passed
// over.
class PlanBuilder {
 public:
  PlanBuilder(Model& model, const QuantizeSettings& settings)
      : model_(model), settings_(settings) {}

  const QuantizeSettings& settings() const { return settings_; }
  std::int64_t opset() const { return model_.opset(); }

  // The numbers of a value that never changes, as the preset counts constants.
  TensorPtr constant_of(const Value* value) const;
  bool is_float(const Value* value) const;
  bool is_marked(const Value* value) const;

  void mark_activation(Value* value);
  // A constant gets the weights' type, and a scale per channel along the axis where that is asked
  // for.
  void mark_weight(Value* value, std::int64_t channel_axis, bool may_be_per_channel = true);
  // The output holds numbers of the input only, so it takes its scale.
  void mark_same(Value* output, const Value* input);
  void mark_bias(Node& node, std::size_t index, float beta = 1);

  // Makes the node's input its output, when the quantized range cuts off what the node would.
  bool try_to_remove(Node& activation);

  QuantizePlan finish(const std::vector<Node*>& selected);

 private:
  TensorPlan* find(const Value* value);
  TensorPlan& add(Value& value);
  const TensorOverride* override_of(const Value& value) const;
  void measure_at_outputs(const std::vector<Node*>& selected);

  Model& model_;
  const QuantizeSettings& settings_;
  QuantizePlan plan_;
  std::unordered_map<const Value*, std::size_t> index_;
  std::vector<std::string> computed_biases_;  // the nodes that have them
};

// Removes Relu and Clip nodes from the model where the plan says so. REQUIRES: types of values are
// known (infer_types); values without one stay in float.
Result<QuantizePlan> make_plan(Model& model, const QuantizeSettings& settings);

}  // namespace hone
