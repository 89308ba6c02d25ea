#include "transform/quantize/insert.h"

#include <algorithm>

#include "model/edit.h"
#include "model/elements.h"

namespace hone {
namespace {

// A tensor of numbers in the type: scales as the real type stores them, zero points as the
// quantized.
template <class Number>
TensorPtr tensor_of(std::string name, ElementType type, const std::vector<Number>& numbers,
                    bool is_scalar) {
  const std::vector<double> wide(numbers.begin(), numbers.end());
  std::string bytes(*bytes_of(type, wide.size()), '\0');
  encode_elements(type, wide, bytes.data());
  std::vector<std::int64_t> dims;
  if (!is_scalar) dims.push_back(static_cast<std::int64_t>(numbers.size()));
  return make_tensor(std::move(name), type, std::move(dims), Blob::own(std::move(bytes)));
}

// Scale and zero point as initializers.
struct ScaleValues {
  Value* scale = nullptr;
  Value* zero_point = nullptr;
};

class Inserter {
 public:
  Inserter(Model& model, const ScaleMap& scales, const std::string& domain)
      : graph_(*model.graph), scales_(scales), domain_(domain) {}

  Status insert_tensor(const TensorPlan& tensor) {
    const auto scales = scales_.find(tensor.value);
    if (scales == scales_.end()) return done();  // shares with a tensor that has none
    const ScaleValues values =
        tensor.shares != nullptr ? made_.at(tensor.shares) : add_scales(tensor, scales->second);
    made_.emplace(tensor.value, values);
    if (tensor.constant) return insert_constant(tensor, scales->second, values);
    insert_activation(*tensor.value, scales->second, values);
    return done();
  }

  bool is_ready(const TensorPlan& tensor) const {
    return tensor.shares == nullptr || made_.contains(tensor.shares) ||
           !scales_.contains(tensor.value);
  }

  Status insert_bias(const BiasPlan& bias);

  InsertReport take_report() { return std::move(report_); }

 private:
  ScaleValues add_scales(const TensorPlan& tensor, const TensorScales& scales) {
    const std::string& name = tensor.value->name();
    const ElementType real = tensor.constant ? tensor.constant->type : tensor.value->type.element;
    const bool is_scalar = !scales.axis.has_value();
    return {&graph_.add_initializer(tensor_of(name + "_scale", real, scales.scales, is_scalar)),
            &graph_.add_initializer(
                tensor_of(name + "_zero_point", scales.type, scales.zero_points, is_scalar))};
  }

  Node& add_node(std::string op, std::string name, std::vector<Value*> inputs, Value& output,
                 std::optional<std::size_t> axis) {
    Node& node = graph_.add_node(std::move(op), std::move(inputs), {&output});
    node.name = std::move(name);
    node.domain = domain_;
    if (axis) node.set_attribute(make_attribute("axis", static_cast<std::int64_t>(*axis)));
    ++report_.nodes;
    return node;
  }

  Status insert_constant(const TensorPlan& tensor, const TensorScales& scales,
                         const ScaleValues& values) {
    const std::string name = tensor.value->name();
    HONE_TRY(TensorPtr quantized, quantize_tensor(*tensor.constant, scales, name + "_quantized"));
    Value& integers = graph_.add_initializer(std::move(quantized));
    Value& real =
        graph_.add_value(name + "_DequantizeLinear_Output",
                         Type::tensor(tensor.constant->type, shape_of(tensor.constant->dims)));
    move_uses(*tensor.value, real);
    add_node("DequantizeLinear", name + "_DequantizeLinear",
             {&integers, values.scale, values.zero_point}, real, scales.axis);
    // Old models list their weights as inputs; nobody can override this one any more.
    if (tensor.value->is_graph_input()) graph_.remove_input(*tensor.value);
    ++report_.weights;
    return done();
  }

  void insert_activation(Value& value, const TensorScales& scales, const ScaleValues& values) {
    const std::string name = value.name();
    Type integer_type = value.type;
    integer_type.element = scales.type;
    Value& integers = graph_.add_value(name + "_QuantizeLinear_Output", integer_type);
    Value& real = graph_.add_value(name + "_DequantizeLinear_Output", value.type);
    // The caller's output is what the consumers see: the dequantized tensor has its name.
    if (value.is_graph_output() && !value.is_graph_input()) {
      graph_.replace_uses(value, real);
      graph_.rename(value, name + "_QuantizeLinear_Input");
    } else {
      move_uses(value, real);
    }
    add_node("QuantizeLinear", name + "_QuantizeLinear", {&value, values.scale, values.zero_point},
             integers, std::nullopt);
    add_node("DequantizeLinear", name + "_DequantizeLinear",
             {&integers, values.scale, values.zero_point}, real, std::nullopt);
    ++report_.activations;
  }

  // Node inputs only: what the graph promises to its caller stays.
  static void move_uses(Value& from, Value& to) {
    const std::vector<Use> uses = from.uses();
    for (const Use& use : uses) use.node->set_input(use.index, &to);
  }

  Graph& graph_;
  const ScaleMap& scales_;
  const std::string& domain_;
  std::unordered_map<const Value*, ScaleValues> made_;
  InsertReport report_;
};

// Why a bias cannot become integers; empty when it can.
std::string reason_to_stay(const BiasPlan& bias, const ScaleMap& scales) {
  if (!scales.contains(bias.input) || !scales.contains(bias.weight))
    return "its input or its weight is not quantized";
  const std::size_t channels = scales.at(bias.weight).scales.size();
  const Tensor& constant = *bias.constant;
  if (channels > 1 && (constant.dims.size() != 1 || constant.element_count() != channels))
    return "it has not one element for each channel of the weight";
  return bias.beta == 0 ? "it is multiplied by zero" : "";
}

Status Inserter::insert_bias(const BiasPlan& bias) {
  // One that somebody else uses as a plain operand was quantized as that.
  if (made_.contains(bias.value)) return done();
  if (const std::string reason = reason_to_stay(bias, scales_); !reason.empty()) {
    report_.notes.push_back("the bias of " + describe(*bias.node) + " stays in float: " + reason);
    return done();
  }
  const std::vector<float> scales =
      bias_scales(scales_.at(bias.input).scales.front(), scales_.at(bias.weight).scales);
  // What gets added is beta times the bias: beta goes into the integers.
  std::vector<float> steps = scales;
  for (float& step : steps) step /= bias.beta;
  if (bias.node->attribute("beta") != nullptr)
    bias.node->set_attribute(make_attribute("beta", 1.0F));
  const std::string name = bias.value->name();
  HONE_TRY(TensorPtr quantized, quantize_bias(*bias.constant, steps, name + "_quantized"));
  const bool is_scalar = scales.size() == 1;
  const std::vector<std::int32_t> zeros(scales.size());
  Value& integers = graph_.add_initializer(std::move(quantized));
  Value& scale = graph_.add_initializer(
      tensor_of(name + "_quantized_scale", bias.constant->type, scales, false));
  Value& zero_point = graph_.add_initializer(
      tensor_of(name + "_quantized_zero_point", ElementType::int32, zeros, is_scalar));
  graph_.rename(*bias.value, name + "_float");
  Value& real =
      graph_.add_value(name, Type::tensor(bias.constant->type, shape_of(bias.constant->dims)));
  move_uses(*bias.value, real);
  if (bias.value->is_graph_input()) graph_.remove_input(*bias.value);
  add_node("DequantizeLinear", name + "_DequantizeLinear", {&integers, &scale, &zero_point}, real,
           is_scalar ? std::nullopt : std::optional<std::size_t>(0));
  ++report_.biases;
  return done();
}

// Tensors with a scale of their own first, then those that share one, as it becomes known.
Status insert_tensors(Inserter& inserter, const QuantizePlan& plan) {
  std::vector<const TensorPlan*> waiting;
  for (const TensorPlan& tensor : plan.tensors) {
    if (tensor.shares == nullptr) {
      HONE_TRY_DO(inserter.insert_tensor(tensor));
    } else {
      waiting.push_back(&tensor);
    }
  }
  for (bool has_changed = true; has_changed && !waiting.empty();) {
    has_changed = false;
    for (const TensorPlan*& tensor : waiting) {
      if (tensor == nullptr || !inserter.is_ready(*tensor)) continue;
      HONE_TRY_DO(inserter.insert_tensor(*tensor));
      tensor = nullptr;
      has_changed = true;
    }
  }
  return done();
}

}  // namespace

Result<InsertReport> insert_quantization(Model& model, const QuantizePlan& plan,
                                         const ScaleMap& scales, const std::string& domain) {
  Inserter inserter(model, scales, domain);
  HONE_TRY_DO(insert_tensors(inserter, plan));
  for (const BiasPlan& bias : plan.biases) HONE_TRY_DO(inserter.insert_bias(bias));
  if (!domain.empty() && model.opset(domain) == 0) model.set_opset(domain, 1);
  remove_dead_nodes(*model.graph);
  remove_unused_initializers(*model.graph);
  HONE_TRY_DO(sort_topologically(*model.graph));
  return inserter.take_report();
}

}  // namespace hone
