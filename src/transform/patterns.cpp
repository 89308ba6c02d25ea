#include "transform/patterns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/elements.h"

namespace hone {
namespace {

double largest_of(ElementType type) {
  switch (type) {
    case ElementType::float16:
      return 65504;
    case ElementType::bfloat16:
      return 0x1.FEp127;
    case ElementType::float32:
      return std::numeric_limits<float>::max();
    case ElementType::float64:
      return std::numeric_limits<double>::max();
    default:
      return 0;
  }
}

}  // namespace

Node* producer_of(const Value* value, std::string_view op) {
  Node* node = value != nullptr ? value->producer() : nullptr;
  return node != nullptr && node->is(op) ? node : nullptr;
}

Node* only_consumer(const Value& value) {
  if (value.uses().size() != 1 || value.is_graph_output()) return nullptr;
  Node* node = value.uses().front().node;
  // A node inside a branch or a loop runs another number of times than the value is made.
  return &node->graph() == &value.graph() && node->output(0) != nullptr ? node : nullptr;
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

std::optional<std::vector<std::int64_t>> ints_from(const Node& node, std::string_view attribute,
                                                   std::size_t input) {
  if (const Attribute* found = node.attribute(attribute)) {
    if (const Attribute::Ints* ints = found->as_ints()) return *ints;
    return std::nullopt;
  }
  return ints_of(node.input(input));
}

bool has_ints(const Node& node, std::string_view attribute, std::size_t input) {
  return node.attribute(attribute) != nullptr || node.input(input) != nullptr;
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

TensorPtr encode(std::string name, ElementType type, std::vector<std::int64_t> dims,
                 const std::vector<double>& numbers) {
  const double largest = largest_of(type);
  const bool all_fit = std::ranges::all_of(
      numbers, [&](double number) { return std::isfinite(number) && std::abs(number) <= largest; });
  if (!all_fit) return nullptr;
  std::string bytes(bytes_of(type, numbers.size()).value_or(0), '\0');
  encode_elements(type, numbers, bytes.data());
  return make_tensor(std::move(name), type, std::move(dims), Blob::own(std::move(bytes)));
}

bool can_broadcast(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  if (from.size() > to.size()) return false;
  const auto fits = [](std::int64_t narrow, std::int64_t wide) {
    return narrow == 1 || narrow == wide;
  };
  return std::equal(from.rbegin(), from.rend(), to.rbegin(), fits);
}

std::vector<double> broadcast(const std::vector<double>& numbers,
                              const std::vector<std::int64_t>& from,
                              const std::vector<std::int64_t>& to) {
  HONE_CHECK(can_broadcast(from, to));
  const std::size_t missing = to.size() - from.size();
  std::vector<double> written(count_elements(to).value_or(0));
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::size_t rest = i;
    std::size_t source = 0;
    std::size_t stride = 1;
    for (std::size_t axis = to.size(); axis-- > 0;) {
      const std::size_t place = rest % static_cast<std::size_t>(to[axis]);
      rest /= static_cast<std::size_t>(to[axis]);
      if (axis < missing) continue;
      const auto extent = static_cast<std::size_t>(from[axis - missing]);
      if (extent > 1) source += place * stride;
      stride *= extent;
    }
    written[i] = numbers[source];
  }
  return written;
}

std::optional<std::vector<std::int64_t>> static_shape(const Value* value) {
  const auto rank = rank_of(value);
  if (!rank) return std::nullopt;
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis < *rank; ++axis) {
    const auto extent = extent_of(value, axis);
    if (!extent) return std::nullopt;
    dims.push_back(*extent);
  }
  return dims;
}

std::optional<std::size_t> rank_of(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (const TensorPtr tensor = value->constant()) return tensor->dims.size();
  if (!value->type.is_tensor() || !value->type.shape) return std::nullopt;
  return value->type.shape->size();
}

std::optional<std::int64_t> extent_of(const Value* value, std::size_t axis) {
  const auto rank = rank_of(value);
  if (!rank || axis >= *rank) return std::nullopt;
  if (const TensorPtr tensor = value->constant()) return tensor->dims[axis];
  // Some exporters write -1 for a dimension that is open.
  const Dim& dim = (*value->type.shape)[axis];
  return dim.value && *dim.value >= 0 ? dim.value : std::nullopt;
}

std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto axes = static_cast<std::int64_t>(rank);
  if (axis < -axes || axis >= axes) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

std::optional<std::vector<std::int64_t>> perm_of(const Node& transpose, std::size_t rank) {
  std::vector<std::int64_t> in_order(rank);
  std::iota(in_order.begin(), in_order.end(), 0);
  const Attribute* attribute = transpose.attribute("perm");
  if (attribute == nullptr) return std::vector<std::int64_t>(in_order.rbegin(), in_order.rend());
  const Attribute::Ints* perm = attribute->as_ints();
  if (perm == nullptr || !std::ranges::is_permutation(*perm, in_order)) return std::nullopt;
  return *perm;
}

}  // namespace hone
