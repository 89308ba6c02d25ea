#include "transform/axes.h"

#include <algorithm>
#include <numeric>

#include "transform/patterns.h"

namespace hone {
namespace {

bool is_reshaping(const Node& node) {
  return node.is("Reshape") || node.is("Flatten") || node.is("Squeeze") || node.is("Unsqueeze");
}

bool same_extent(const Dim& a, const Dim& b) {
  if (a.value || b.value) return a.value && a.value == b.value;
  return !a.symbol.empty() && a.symbol == b.symbol;
}

// The axes of a Squeeze or Unsqueeze counted from the front of the rank they refer to.
std::optional<std::vector<std::size_t>> sorted_axes(const Node& node, std::size_t rank) {
  const auto written = ints_from(node, "axes", 1);
  if (!written) return std::nullopt;
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : *written) {
    const auto found = axis_of(axis, rank);
    if (!found) return std::nullopt;
    axes.push_back(*found);
  }
  std::ranges::sort(axes);
  return axes;
}

std::optional<AxisPlace> follow_squeeze(const Node& node, const AxisPlace& place) {
  const auto axes = sorted_axes(node, place.rank);
  if (!axes || std::ranges::binary_search(*axes, place.axis)) return std::nullopt;
  const auto before = std::ranges::lower_bound(*axes, place.axis) - axes->begin();
  return AxisPlace{place.rank - axes->size(), place.axis - static_cast<std::size_t>(before)};
}

std::optional<AxisPlace> follow_unsqueeze(const Node& node, const AxisPlace& place) {
  const auto written = ints_from(node, "axes", 1);
  if (!written) return std::nullopt;
  const std::size_t rank = place.rank + written->size();
  const auto axes = sorted_axes(node, rank);
  if (!axes) return std::nullopt;
  std::size_t axis = place.axis;
  for (const std::size_t added : *axes) axis += added <= axis ? 1 : 0;
  return axis < rank ? std::optional(AxisPlace{rank, axis}) : std::nullopt;
}

// An axis stays what it is when as many elements stand before it as did, and its extent is the
// same.
std::optional<AxisPlace> follow_reshape(const Node& node, const AxisPlace& place) {
  const Value& input = *node.input(0);
  const Value& output = *node.output(0);
  if (rank_of(&input) != place.rank || !rank_of(&output) || input.constant()) return std::nullopt;
  const Shape& from = *input.type.shape;
  const Shape& to = *output.type.shape;
  const auto product = [](const Shape& shape, std::size_t end) -> std::optional<std::int64_t> {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < end; ++i) {
      if (!shape[i].value || __builtin_mul_overflow(count, *shape[i].value, &count)) {
        return std::nullopt;
      }
    }
    return count;
  };
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    if (!from[place.axis].value || !same_extent(from[place.axis], to[axis])) continue;
    const auto before = product(from, place.axis);
    const bool same_count = before && before == product(to, axis);
    const bool same_dims =
        axis == place.axis && std::equal(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(axis),
                                         from.begin(), same_extent);
    if (same_count || same_dims) return AxisPlace{to.size(), axis};
  }
  return std::nullopt;
}

}  // namespace

std::optional<SliceBounds> slice_bounds(const Node& slice, std::size_t rank) {
  const auto starts = ints_from(slice, "starts", 1);
  const auto ends = ints_from(slice, "ends", 2);
  if (!starts || !ends || starts->size() != 1 || ends->size() != 1) return std::nullopt;
  std::int64_t axis = 0;
  if (has_ints(slice, "axes", 3)) {
    const auto axes = ints_from(slice, "axes", 3);
    if (!axes || axes->size() != 1) return std::nullopt;
    axis = axes->front();
  }
  if (slice.input(4) != nullptr && ints_of(slice.input(4)) != std::vector<std::int64_t>{1}) {
    return std::nullopt;
  }
  const auto found = axis_of(axis, rank);
  if (!found) return std::nullopt;
  return SliceBounds{*found, starts->front(), ends->front()};
}

Range range_of(const SliceBounds& bounds, std::int64_t extent) {
  const auto place = [&](std::int64_t bound) {
    return std::clamp<std::int64_t>(bound < 0 ? bound + extent : bound, 0, extent);
  };
  const std::int64_t first = place(bounds.start);
  return {first, std::max<std::int64_t>(0, place(bounds.end) - first)};
}

std::optional<std::vector<std::int64_t>> split_sizes(const Node& split, std::int64_t extent) {
  const auto parts = static_cast<std::int64_t>(split.outputs().size());
  if (parts == 0 || extent <= 0) return std::nullopt;
  if (has_ints(split, "split", 1)) {
    auto sizes = ints_from(split, "split", 1);
    if (!sizes || sizes->size() != split.outputs().size()) return std::nullopt;
    std::int64_t rest = extent;
    for (const std::int64_t size : *sizes) {
      if (size <= 0 || size > rest) return std::nullopt;
      rest -= size;
    }
    return rest == 0 ? sizes : std::nullopt;
  }
  // Equal parts; since opset 18 the last one may be smaller.
  const std::int64_t part = (extent + parts - 1) / parts;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), part);
  sizes.back() = extent - part * (parts - 1);
  return sizes.back() > 0 ? std::optional(std::move(sizes)) : std::nullopt;
}

std::optional<AxisPlace> follow_axis(const Node& node, const AxisPlace& place) {
  if (node.input(0) == nullptr || node.output(0) == nullptr) return std::nullopt;
  if (node.is("Identity")) return place;
  if (node.is("Transpose")) {
    const auto perm = perm_of(node, place.rank);
    if (!perm) return std::nullopt;
    const auto found = std::ranges::find(*perm, static_cast<std::int64_t>(place.axis));
    return AxisPlace{place.rank, static_cast<std::size_t>(found - perm->begin())};
  }
  if (node.is("Slice")) {
    const auto bounds = slice_bounds(node, place.rank);
    return bounds && bounds->axis != place.axis ? std::optional(place) : std::nullopt;
  }
  if (node.is("Squeeze")) return follow_squeeze(node, place);
  if (node.is("Unsqueeze")) return follow_unsqueeze(node, place);
  return is_reshaping(node) ? follow_reshape(node, place) : std::nullopt;
}

Value& before_views(Value& value) {
  Value* at = &value;
  while (true) {
    const Node* node = at->producer();
    if (node == nullptr || !(node->is("Identity") || is_reshaping(*node))) return *at;
    Value* input = node->input(0);
    if (input == nullptr || only_consumer(*input) != node) return *at;
    at = input;
  }
}

}  // namespace hone
