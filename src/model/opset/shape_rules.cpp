#include "model/opset/shape_rules.h"

#include <algorithm>
#include <numeric>

namespace hone::opset {
namespace {

using Dims = std::vector<std::int64_t>;

// An axis counted from the front, or nothing when it lies outside.
std::optional<std::size_t> place(std::int64_t axis, std::size_t rank) {
  const auto limit = static_cast<std::int64_t>(rank);
  if (axis < 0) axis += limit;
  if (axis < 0 || axis >= limit) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

// No real tensor has more; a file that claims so must not make us allocate for it.
constexpr std::int64_t highest_rank = 64;

PartialShape of_rank(std::int64_t rank) {
  if (rank < 0 || rank > highest_rank) return std::nullopt;
  return Dims(static_cast<std::size_t>(rank), unknown_dim);
}

// The dims that a shape input asks for: its values, or at least how many there are.
PartialShape requested(const Facts& facts, const Node& node, std::size_t input) {
  if (auto values = ints_of(node, "", input)) {
    for (std::int64_t& value : *values) value = std::max(value, unknown_dim);
    return values;
  }
  const Fact shape = facts.of(node.input(input));
  if (!shape.shape || shape.shape->size() != 1) return std::nullopt;
  return of_rank(shape.shape->front());
}

std::int64_t broadcast_dim(std::int64_t a, std::int64_t b) {
  if (a == 1) return b;
  if (b == 1 || a == b) return a;
  return unknown_dim;
}

PartialShape broadcast(const PartialShape& a, const PartialShape& b) {
  if (!a || !b) return std::nullopt;
  const Dims& longer = a->size() >= b->size() ? *a : *b;
  const Dims& shorter = a->size() >= b->size() ? *b : *a;
  Dims dims = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    dims[offset + i] = broadcast_dim(longer[offset + i], shorter[i]);
  }
  return dims;
}

PartialShape without_axes(const PartialShape& shape, const Dims& axes, bool keep) {
  if (!shape) return std::nullopt;
  std::vector<bool> gone(shape->size(), axes.empty());
  for (const std::int64_t axis : axes) {
    const auto at = place(axis, shape->size());
    if (!at) return std::nullopt;
    gone[*at] = true;
  }
  Dims dims;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (!gone[i])
      dims.push_back((*shape)[i]);
    else if (keep)
      dims.push_back(1);
  }
  return dims;
}

std::int64_t sliced_dim(std::int64_t dim, std::int64_t start, std::int64_t end) {
  if (dim == unknown_dim) return unknown_dim;
  const auto clamped = [dim](std::int64_t at) {
    return std::clamp(at < 0 ? at + dim : at, std::int64_t{0}, dim);
  };
  return std::max(clamped(end) - clamped(start), std::int64_t{0});
}

}  // namespace

PartialShape same_shape(const Facts& facts, const Node& node) {
  return facts.of(node.input(0)).shape;
}

PartialShape shape_of_input_1(const Facts& facts, const Node& node) {
  return facts.of(node.input(1)).shape;
}

PartialShape same_rank(const Facts& facts, const Node& node) {
  const auto rank = facts.rank(node.input(0));
  return rank ? of_rank(*rank) : std::nullopt;
}

PartialShape broadcast_shape(const Facts& facts, const Node& node) {
  PartialShape shape = Dims{};
  for (const Value* input : node.inputs()) shape = broadcast(shape, facts.of(input).shape);
  return shape;
}

PartialShape reduced_shape(const Facts& facts, const Node& node) {
  const bool run_time_axes = node.input(1) != nullptr && !constant_of(node.input(1));
  const bool keep = node.int_or("keepdims", 1) != 0;
  if (run_time_axes) return keep ? same_rank(facts, node) : std::nullopt;
  const Dims axes = ints_of(node, "axes", 1).value_or(Dims{});
  if (axes.empty() && node.int_or("noop_with_empty_axes", 0) != 0) return same_shape(facts, node);
  return without_axes(facts.of(node.input(0)).shape, axes, keep);
}

PartialShape arg_reduced_shape(const Facts& facts, const Node& node) {
  const Dims axes{node.int_or("axis", 0)};
  return without_axes(facts.of(node.input(0)).shape, axes, node.int_or("keepdims", 1) != 0);
}

PartialShape conv_shape(const Facts& facts, const Node& node) {
  PartialShape shape = same_rank(facts, node);
  const PartialShape image = facts.of(node.input(0)).shape;
  const PartialShape weight = facts.of(node.input(1)).shape;
  if (!shape || shape->size() < 2 || !weight || weight->size() < 2) return shape;
  (*shape)[0] = (*image)[0];
  if (!node.is("ConvTranspose")) (*shape)[1] = (*weight)[0];
  return shape;
}

PartialShape matmul_shape(const Facts& facts, const Node& node) {
  if (node.is("Gemm")) return of_rank(2);
  const PartialShape a = facts.of(node.input(0)).shape;
  const PartialShape b = facts.of(node.input(1)).shape;
  if (!a || !b || a->empty() || b->empty()) return std::nullopt;
  if (a->size() == 1) return of_rank(static_cast<std::int64_t>(b->size()) - 1);
  if (b->size() == 1) return of_rank(static_cast<std::int64_t>(a->size()) - 1);
  PartialShape batch = broadcast(Dims(a->begin(), a->end() - 2), Dims(b->begin(), b->end() - 2));
  batch->push_back((*a)[a->size() - 2]);
  batch->push_back(b->back());
  return batch;
}

PartialShape recurrent_shape(const Facts&, const Node&) { return of_rank(4); }

PartialShape einsum_shape(const Facts&, const Node& node) {
  const std::string equation = node.string_or("equation", "");
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string::npos || equation.find('.') != std::string::npos) return std::nullopt;
  const std::string result = equation.substr(arrow + 2);
  return of_rank(std::count_if(result.begin(), result.end(), [](char c) { return c != ' '; }));
}

PartialShape concat_shape(const Facts& facts, const Node& node) {
  PartialShape shape = facts.of(node.input(0)).shape;
  if (!shape) return std::nullopt;
  const auto axis = place(node.int_or("axis", 0), shape->size());
  if (!axis) return std::nullopt;
  std::int64_t total = 0;
  for (const Value* input : node.inputs()) {
    const PartialShape part = facts.of(input).shape;
    const bool known = part && part->size() == shape->size() && (*part)[*axis] != unknown_dim;
    if (total == unknown_dim) continue;
    if (!known || __builtin_add_overflow(total, (*part)[*axis], &total)) total = unknown_dim;
  }
  (*shape)[*axis] = total;
  return shape;
}

PartialShape expanded_shape(const Facts& facts, const Node& node) {
  return broadcast(facts.of(node.input(0)).shape, requested(facts, node, 1));
}

PartialShape flattened_shape(const Facts&, const Node&) { return of_rank(2); }

PartialShape gathered_shape(const Facts& facts, const Node& node) {
  const PartialShape from = facts.of(node.input(0)).shape;
  const PartialShape indices = facts.of(node.input(1)).shape;
  if (!from || !indices) return std::nullopt;
  const auto axis = place(node.int_or("axis", 0), from->size());
  if (!axis) return std::nullopt;
  Dims dims(from->begin(), from->begin() + static_cast<std::ptrdiff_t>(*axis));
  dims.insert(dims.end(), indices->begin(), indices->end());
  dims.insert(dims.end(), from->begin() + static_cast<std::ptrdiff_t>(*axis) + 1, from->end());
  return dims;
}

PartialShape gathered_nd_shape(const Facts& facts, const Node& node) {
  const auto rank = facts.rank(node.input(0));
  const PartialShape indices = facts.of(node.input(1)).shape;
  if (!rank || !indices || indices->empty() || indices->back() == unknown_dim) return std::nullopt;
  const std::int64_t batch_dims = node.int_or("batch_dims", 0);
  const std::int64_t indexed = indices->back();
  if (batch_dims < 0 || batch_dims > *rank || indexed > *rank) return std::nullopt;
  const auto index_rank = static_cast<std::int64_t>(indices->size());
  return of_rank(index_rank - 1 + *rank - indexed - batch_dims);
}

PartialShape range_shape(const Facts&, const Node&) { return of_rank(1); }

PartialShape reshaped_shape(const Facts& facts, const Node& node) {
  PartialShape shape = requested(facts, node, 1);
  if (!shape) return std::nullopt;
  const PartialShape before = facts.of(node.input(0)).shape;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if ((*shape)[i] != 0 || node.int_or("allowzero", 0) != 0) continue;
    (*shape)[i] = before && i < before->size() ? (*before)[i] : unknown_dim;
  }
  return shape;
}

PartialShape sliced_shape(const Facts& facts, const Node& node) {
  const PartialShape shape = facts.of(node.input(0)).shape;
  if (!shape) return std::nullopt;
  const auto starts = ints_of(node, "starts", 1);
  const auto ends = ints_of(node, "ends", 2);
  const bool default_axes = node.input(3) == nullptr && !node.attribute("axes");
  auto axes = default_axes ? starts : ints_of(node, "axes", 3);
  if (default_axes && axes) std::iota(axes->begin(), axes->end(), 0);
  const auto steps = node.input(4) == nullptr ? Dims{} : ints_of(node, "", 4).value_or(Dims{0});
  const bool by_ones = std::all_of(steps.begin(), steps.end(), [](auto step) { return step == 1; });
  if (!starts || !ends || !axes || !by_ones) return same_rank(facts, node);
  Dims dims = *shape;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto at = place((*axes)[i], dims.size());
    if (!at || i >= starts->size() || i >= ends->size()) return same_rank(facts, node);
    dims[*at] = sliced_dim(dims[*at], (*starts)[i], (*ends)[i]);
  }
  return dims;
}

PartialShape squeezed_shape(const Facts& facts, const Node& node) {
  const auto axes = ints_of(node, "axes", 1);
  if (!axes || axes->empty()) return std::nullopt;
  return without_axes(facts.of(node.input(0)).shape, *axes, false);
}

PartialShape transposed_shape(const Facts& facts, const Node& node) {
  const PartialShape shape = facts.of(node.input(0)).shape;
  if (!shape) return std::nullopt;
  const auto perm = ints_of(node, "perm", 1);
  if (!perm) return Dims(shape->rbegin(), shape->rend());
  Dims dims;
  for (const std::int64_t axis : *perm) {
    const auto at = place(axis, shape->size());
    if (!at) return std::nullopt;
    dims.push_back((*shape)[*at]);
  }
  return dims;
}

PartialShape unsqueezed_shape(const Facts& facts, const Node& node) {
  const PartialShape shape = facts.of(node.input(0)).shape;
  const auto axes = ints_of(node, "axes", 1);
  if (!shape || !axes) return std::nullopt;
  const std::size_t rank = shape->size() + axes->size();
  std::vector<bool> is_new(rank, false);
  for (const std::int64_t axis : *axes) {
    const auto at = place(axis, rank);
    if (!at || is_new[*at]) return std::nullopt;
    is_new[*at] = true;
  }
  Dims dims;
  auto next = shape->begin();
  for (std::size_t i = 0; i < rank; ++i) dims.push_back(is_new[i] ? 1 : *next++);
  return dims;
}

PartialShape constant_of_shape_shape(const Facts& facts, const Node& node) {
  return requested(facts, node, 0);
}

PartialShape one_hot_shape(const Facts& facts, const Node& node) {
  const auto rank = facts.rank(node.input(0));
  return rank ? of_rank(*rank + 1) : std::nullopt;
}

PartialShape non_zero_shape(const Facts& facts, const Node& node) {
  return Dims{facts.rank(node.input(0)).value_or(unknown_dim), unknown_dim};
}

PartialShape shape_shape(const Facts& facts, const Node& node) {
  const bool whole = !node.attribute("start") && !node.attribute("end");
  return Dims{whole ? facts.rank(node.input(0)).value_or(unknown_dim) : unknown_dim};
}

PartialShape size_shape(const Facts&, const Node&) { return Dims{}; }

}  // namespace hone::opset
