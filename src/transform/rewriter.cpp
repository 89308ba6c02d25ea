#include "transform/rewriter.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hone {
namespace {

void collect(Graph& graph, std::vector<Node*>& found) {
  for (Node& node : graph.nodes()) {
    found.push_back(&node);
    for (Graph* inner : node.subgraphs()) collect(*inner, found);
  }
}

}  // namespace

void Rewriter::need_domain(std::string_view domain, std::int64_t version) {
  if (model_.opset(domain) == 0) model_.set_opset(domain, version);
}

std::vector<Node*> Rewriter::nodes() const {
  std::vector<Node*> found;
  collect(*model_.graph, found);
  return found;
}

std::vector<Node*> Rewriter::nodes(std::string_view op) const {
  std::vector<Node*> found = nodes();
  std::erase_if(found, [&](const Node* node) { return !node->is(op); });
  return found;
}

Value& Rewriter::add(const Node& position, NewNode node) {
  Graph& graph = position.graph();
  const std::string base = node.name.empty() ? position.name : node.name;
  Value& output = graph.add_value((base.empty() ? "hone" : base) + "_" + lowercase(node.op),
                                  std::move(node.type));
  Node& made = graph.insert_before(position, node.op, std::move(node.inputs), {&output});
  made.domain = std::move(node.domain);
  made.attributes = std::move(node.attributes);
  made.name = node.name.empty() ? output.name() : std::move(node.name);
  return output;
}

Value& Rewriter::add_constant(const Node& position, TensorPtr tensor) {
  return position.graph().add_initializer(std::move(tensor));
}

void Rewriter::replace(Value& from, Value& to) {
  if (!to.type.is_known()) to.type = from.type;
  from.graph().replace_uses(from, to);
  ++rewrites_;
}

void Rewriter::changed(const Node&) { ++rewrites_; }

void Rewriter::decline(const Node& node, std::string reason) {
  declined_.push_back({describe(node), std::move(reason)});
}

Node* producer_of(const Value* value, std::string_view op) {
  Node* node = value != nullptr ? value->producer() : nullptr;
  return node != nullptr && node->is(op) ? node : nullptr;
}

Node* only_consumer(const Value& value) {
  return value.uses().size() == 1 && !value.is_graph_output() ? value.uses().front().node : nullptr;
}

std::optional<std::vector<double>> doubles_of(const Value* value) {
  const TensorPtr tensor = value != nullptr ? value->constant() : nullptr;
  if (!tensor) return std::nullopt;
  if (is_float(tensor->type)) {
    auto numbers = to_doubles(*tensor);
    if (numbers) return std::move(*numbers);
    return std::nullopt;
  }
  const auto integers = ints_of(value);
  if (!integers) return std::nullopt;
  return std::vector<double>(integers->begin(), integers->end());
}

std::optional<std::vector<std::int64_t>> ints_of(const Value* value) {
  const TensorPtr tensor = value != nullptr ? value->constant() : nullptr;
  if (!tensor || is_float(tensor->type)) return std::nullopt;
  auto numbers = to_ints(*tensor);
  if (!numbers) return std::nullopt;
  return std::move(*numbers);
}

std::optional<double> scalar_of(const Value* value) {
  const TensorPtr tensor = value != nullptr ? value->constant() : nullptr;
  // A scalar written out over a large shape is rare; reading megabytes to find one is not worth it.
  constexpr std::uint64_t most_elements = 4096;
  if (!tensor || tensor->element_count() == 0 || tensor->element_count() > most_elements) {
    return std::nullopt;
  }
  const auto numbers = doubles_of(value);
  if (!numbers) return std::nullopt;
  const bool is_one_number =
      std::ranges::all_of(*numbers, [&](double number) { return number == numbers->front(); });
  return is_one_number ? std::optional(numbers->front()) : std::nullopt;
}

bool is_scalar(const Value* value, double expected, double relative_tolerance) {
  const std::optional<double> number = scalar_of(value);
  return number && std::abs(*number - expected) <= relative_tolerance * std::abs(expected);
}

std::optional<std::vector<std::int64_t>> static_shape(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (const TensorPtr tensor = value->constant()) return tensor->dims;
  if (!value->type.is_tensor() || !value->type.shape) return std::nullopt;
  std::vector<std::int64_t> dims;
  for (const Dim& dim : *value->type.shape) {
    if (!dim.value) return std::nullopt;
    dims.push_back(*dim.value);
  }
  return dims;
}

std::optional<std::size_t> rank_of(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (const TensorPtr tensor = value->constant()) return tensor->dims.size();
  if (!value->type.is_tensor() || !value->type.shape) return std::nullopt;
  return value->type.shape->size();
}

Value* other_operand(const Node& node, const Value& value) {
  if (node.inputs().size() != 2) return nullptr;
  return node.input(0) == &value ? node.input(1) : node.input(0);
}

std::optional<ConstantOperand> constant_operand(const Node& node) {
  if (node.inputs().size() != 2 || node.input(0) == nullptr || node.input(1) == nullptr) {
    return std::nullopt;
  }
  const bool first = node.input(0)->constant() != nullptr;
  const bool second = node.input(1)->constant() != nullptr;
  if (first == second) return std::nullopt;
  return first ? ConstantOperand{node.input(1), node.input(0), 0}
               : ConstantOperand{node.input(0), node.input(1), 1};
}

std::int64_t positive_axis(std::int64_t axis, std::size_t rank) {
  return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
}

}  // namespace hone
