#include "runtime/dim_tracer.h"

#include <algorithm>

namespace hone {
namespace {

constexpr std::uint64_t most_numbers = 64;

// A boolean input that decides, seen through what keeps its value.
bool is_flag_of_the_user(const Value* condition) {
  for (int steps = 0; condition != nullptr && steps < 8; ++steps) {
    if (condition->is_graph_input()) return !condition->initializer();
    const Node* node = condition->producer();
    const bool keeps_value = node != nullptr && (node->is("Identity") || node->is("Squeeze") ||
                                                 node->is("Cast") || node->is("Reshape"));
    condition = keeps_value ? node->input(0) : nullptr;
  }
  return false;
}

}  // namespace

const DimIds* DimTracer::shape(const Value* value) {
  if (value == nullptr) return nullptr;
  if (const auto found = shapes_.find(value); found != shapes_.end()) return &found->second;
  const TensorPtr tensor = value->constant() ? value->constant() : value->initializer();
  if (!tensor) return nullptr;
  DimIds dims;
  for (const std::int64_t size : tensor->dims) dims.push_back(system.known(size));
  return &(shapes_[value] = std::move(dims));
}

const ShapeNumbers* DimTracer::numbers(const Value* value) {
  if (value == nullptr) return nullptr;
  if (const auto found = numbers_.find(value); found != numbers_.end()) return &found->second;
  const TensorPtr tensor = value->constant();
  if (!tensor || tensor->dims.size() > 1 || is_float(tensor->type) ||
      tensor->element_count() > most_numbers) {
    return nullptr;
  }
  const auto literals = to_ints(*tensor);
  if (!literals) return nullptr;
  ShapeNumbers made;
  for (const std::int64_t literal : *literals) made.push_back({system.known(literal), literal});
  return &(numbers_[value] = std::move(made));
}

void DimTracer::set_shape(const Value* value, DimIds dims) {
  if (value != nullptr) shapes_.insert_or_assign(value, std::move(dims));
}

void DimTracer::set_numbers(const Value* value, ShapeNumbers numbers) {
  if (value != nullptr && numbers.size() <= most_numbers)
    numbers_.insert_or_assign(value, std::move(numbers));
}

void DimTracer::trace(const Graph& graph) {
  for (const Node& node : graph.nodes()) trace_node(node);
}

void DimTracer::trace_node(const Node& node) {
  if (node.is("If")) trace_branches(node);
  if (const DimRule rule = find_dim_rule(node)) rule(*this, node);
  system.solve();
  for (const Value* output : node.outputs()) {
    if (output != nullptr && !shapes_.contains(output)) take_declared(*output);
  }
}

// Where two branches disagree, the first one's word stands. A flag of the user's is taken to be
// false, which is what it will be unless somebody says otherwise.
void DimTracer::trace_branches(const Node& node) {
  for (const auto name : {"then_branch", "else_branch"}) {
    const Attribute* attribute = node.attribute(name);
    if (attribute == nullptr || attribute->graphs().size() != 1) continue;
    if (name == std::string_view("then_branch") && is_flag_of_the_user(node.input(0))) continue;
    const Graph& branch = *attribute->graphs().front();
    trace(branch);
    for (std::size_t i = 0; i < branch.outputs().size(); ++i) {
      const DimIds* dims = shape(branch.outputs()[i]);
      const Value* output = node.output(i);
      if (dims != nullptr && output != nullptr && !shapes_.contains(output))
        set_shape(output, DimIds(*dims));
    }
  }
}

// Sizes only: one symbol at two values of the inside is often no more than a coincidence.
void DimTracer::take_declared(const Value& value) {
  if (!value.type.is_tensor() || !value.type.shape) return;
  DimIds dims;
  for (const Dim& dim : *value.type.shape)
    dims.push_back(dim.value ? system.known(*dim.value) : system.open());
  set_shape(&value, std::move(dims));
}

std::optional<std::size_t> place_of(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::optional<std::vector<std::int64_t>> ints_of(const Node& node, std::string_view attribute,
                                                 std::size_t input) {
  if (const Attribute* found = node.attribute(attribute)) {
    if (found->as_ints() != nullptr) return *found->as_ints();
    if (found->as_int() != nullptr) return std::vector{*found->as_int()};
  }
  const TensorPtr tensor = node.input(input) != nullptr ? node.input(input)->constant() : nullptr;
  if (!tensor || tensor->element_count() > most_numbers) return std::nullopt;
  auto numbers = to_ints(*tensor);
  return numbers ? std::optional(*std::move(numbers)) : std::nullopt;
}

DimIds broadcast(DimTracer& tracer, const DimIds& a, const DimIds& b) {
  const DimIds& longer = a.size() >= b.size() ? a : b;
  const DimIds& shorter = a.size() >= b.size() ? b : a;
  DimIds made = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    DimSystem::Id& dim = made[lead + i];
    const auto size = tracer.system.size(shorter[i]);
    // What has fewer dimensions may well be one number: only a size that is known speaks.
    if (size == 1 || (lead > 0 && !size)) continue;
    if (tracer.system.size(dim) == 1) {
      dim = shorter[i];
    } else {
      tracer.system.equate(dim, shorter[i]);
    }
  }
  return made;
}

}  // namespace hone
