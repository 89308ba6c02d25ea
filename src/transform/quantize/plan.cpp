#include "transform/quantize/plan.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "transform/patterns.h"
#include "transform/quantize/op_rules.h"
#include "transform/quantize/selection.h"

namespace hone {
namespace {

bool is_quantizable(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float16;
}

// Before opset 11 the ends of a Clip are attributes; without them it has none.
bool clips_around_zero(const Node& node) {
  if (node.is("Relu")) return true;
  const auto end = [&](std::size_t index, std::string_view attribute) -> std::optional<double> {
    if (node.input(index) != nullptr) return scalar_of(node.input(index));
    return node.float_or(attribute, 0);
  };
  const auto low = end(1, "min");
  const auto high = end(2, "max");
  return low && high && *low <= 0 && *high >= 0;
}

bool touches_a_marked_tensor(const PlanBuilder& plan, const Node& node) {
  const auto is_marked = [&](const Value* value) { return plan.is_marked(value); };
  return std::ranges::any_of(node.inputs(), is_marked) ||
         std::ranges::any_of(node.outputs(), is_marked);
}

}  // namespace

TensorPtr PlanBuilder::constant_of(const Value* value) const {
  if (value == nullptr) return nullptr;
  if (value->initializer()) return value->initializer();
  return settings_.preset.mirrors_tools ? nullptr : value->constant();
}

bool PlanBuilder::is_float(const Value* value) const {
  if (value == nullptr) return false;
  if (value->initializer()) return is_quantizable(value->initializer()->type);
  return value->type.is_tensor() && is_quantizable(value->type.element);
}

bool PlanBuilder::is_marked(const Value* value) const {
  const bool is_bias =
      std::ranges::find(plan_.biases, value, &BiasPlan::value) != plan_.biases.end();
  return value != nullptr && (index_.contains(value) || is_bias);
}

TensorPlan* PlanBuilder::find(const Value* value) {
  const auto found = index_.find(value);
  return found != index_.end() ? &plan_.tensors[found->second] : nullptr;
}

TensorPlan& PlanBuilder::add(Value& value) {
  if (TensorPlan* known = find(&value)) return *known;
  index_.emplace(&value, plan_.tensors.size());
  TensorPlan& made = plan_.tensors.emplace_back();
  made.value = &value;
  made.constant = constant_of(&value);
  return made;
}

const TensorOverride* PlanBuilder::override_of(const Value& value) const {
  const auto found = settings_.overrides.find(value.name());
  return found != settings_.overrides.end() ? &found->second : nullptr;
}

void PlanBuilder::mark_activation(Value* value) {
  if (is_float(value)) add(*value);
}

void PlanBuilder::mark_weight(Value* value, std::int64_t channel_axis, bool may_be_per_channel) {
  if (!is_float(value)) return;
  const bool is_known = index_.contains(value);
  TensorPlan& tensor = add(*value);
  if (!tensor.constant) {
    if (!is_known && value->constant()) ++plan_.weights_as_activations;
    return;
  }
  const TensorOverride* chosen = override_of(*value);
  const bool is_per_channel =
      chosen != nullptr ? chosen->axis.has_value() : settings_.per_channel && may_be_per_channel;
  const auto rank = static_cast<std::int64_t>(tensor.constant->dims.size());
  std::int64_t axis = chosen != nullptr ? chosen->axis.value_or(channel_axis) : channel_axis;
  if (axis < 0) axis += rank;
  const bool has_axis = is_per_channel && axis >= 0 && axis < rank;
  // A scale per channel is the stronger wish; else the first one to ask decides.
  if (is_known && !has_axis) return;
  tensor.is_weight = true;
  if (has_axis) tensor.axis = static_cast<std::size_t>(axis);
}

void PlanBuilder::mark_same(Value* output, const Value* input) {
  if (!is_float(output) || !is_float(input)) return;
  add(*output).shares = input;
}

void PlanBuilder::mark_bias(Node& node, std::size_t index, float beta) {
  Value* bias = node.input(index);
  if (!is_float(bias)) return;
  if (override_of(*bias) != nullptr) return mark_weight(bias, 0);
  const TensorPtr constant = constant_of(bias);
  if (!constant) {
    computed_biases_.push_back(describe(node));
    return;
  }
  const bool is_taken =
      std::ranges::find(plan_.biases, bias, &BiasPlan::value) != plan_.biases.end();
  if (is_taken) {
    // Its scale follows from the other inputs of the node, so each node has its own.
    auto copy = std::make_shared<Tensor>(*constant);
    copy->name = bias->name() + "0";
    bias = &node.graph().add_initializer(std::move(copy));
    node.set_input(index, bias);
  }
  const bool is_weight_constant = constant_of(node.input(1)) != nullptr;
  plan_.biases.push_back(
      {bias, constant, &node, node.input(0), node.input(1), is_weight_constant, beta});
}

bool PlanBuilder::try_to_remove(Node& activation) {
  if (activation.output(0) == nullptr) return false;
  Value& input = *activation.input(0);
  Value& output = *activation.output(0);
  const bool may_go = !settings_.symmetric && is_float(&output) && input.producer() != nullptr &&
                      input.uses().size() == 1 && !input.is_graph_output();
  if (!may_go) return false;
  const bool is_exact = clips_around_zero(activation) && override_of(output) == nullptr;
  if (!is_exact && !settings_.preset.mirrors_tools) return false;
  if (!is_exact) {
    plan_.notes.push_back(
        describe(activation) +
        " is removed as ONNX Runtime's tools do, although zero or the given range "
        "lies outside of what it lets through");
  }
  plan_.tensors[index_.extract(&input).mapped()].value = nullptr;
  const std::string name = output.name();
  Graph& graph = activation.graph();
  graph.replace_uses(output, input);
  graph.remove_node(activation);
  graph.rename(input, name);
  ++plan_.removed_nodes;
  mark_activation(&input);
  return true;
}

// A Relu or Clip that stays cuts its input off anyway, so the input need not be finer than that.
void PlanBuilder::measure_at_outputs(const std::vector<Node*>& selected) {
  for (const Node* node : selected) {
    if (node->is_removed() || !(node->is("Relu") || node->is("Clip"))) continue;
    TensorPlan* input = find(node->input(0));
    if (input != nullptr && node->input(0)->uses().size() == 1 && is_float(node->output(0)))
      input->measured_at = node->output(0)->name();
  }
}

QuantizePlan PlanBuilder::finish(const std::vector<Node*>& selected) {
  for (TensorPlan& tensor : plan_.tensors) {
    if (tensor.value != nullptr) tensor.measured_at = tensor.value->name();
  }
  measure_at_outputs(selected);
  for (const Node* node : selected) {
    if (node->is_removed() || !touches_a_marked_tensor(*this, *node)) continue;
    ++plan_.quantized_nodes;
    TensorPlan* output = find(node->output(0));
    if (output == nullptr) continue;
    const TensorOverride* chosen = override_of(*output->value);
    const ElementType type = chosen != nullptr ? chosen->type.value_or(settings_.activation_type)
                                               : settings_.activation_type;
    output->fixed_range = fixed_range(settings_.preset, *node, type);
  }
  std::erase_if(plan_.tensors, [](const TensorPlan& tensor) { return tensor.value == nullptr; });
  if (!computed_biases_.empty()) {
    const std::size_t count = computed_biases_.size();
    plan_.notes.push_back(
        count == 1
            ? "the bias of " + computed_biases_.front() + " is computed, so it stays in float"
            : "the biases of " + counted(count, "node") + ", such as " + computed_biases_.front() +
                  ", are computed, so they stay in float");
  }
  return std::move(plan_);
}

Result<QuantizePlan> make_plan(Model& model, const QuantizeSettings& settings) {
  PlanBuilder builder(model, settings);
  std::vector<Node*> selected;
  for (Node* node : model.graph->node_list()) {
    if (!is_selected(*node, settings)) continue;
    const QuantizeRule* rule = find_rule(node->op_type);
    if (rule != nullptr && model.opset() < rule->since) continue;
    selected.push_back(node);
    (rule != nullptr ? rule->mark : mark_all)(builder, *node);
  }
  return builder.finish(selected);
}

}  // namespace hone
