#pragma once
// Ops that cut a tensor along an axis or hand it on in another shape, and where an axis goes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/model.h"

namespace hone {

// Elements [first, first + count) along an axis.
struct Range {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t end() const { return first + count; }
};

// A Slice along one axis with step 1 and constant bounds, as written: a negative bound counts from
// the end, and one beyond the end is the end.
struct SliceBounds {
  std::size_t axis = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
};
std::optional<SliceBounds> slice_bounds(const Node& slice, std::size_t rank);
// What the bounds leave of an axis of that extent.
Range range_of(const SliceBounds& bounds, std::int64_t extent);

// How a Split divides an axis of that extent, one size for each output; nothing when the sizes are
// not known, are not positive, or do not add up.
std::optional<std::vector<std::int64_t>> split_sizes(const Node& split, std::int64_t extent);

// One axis of a tensor.
struct AxisPlace {
  std::size_t rank = 0;
  std::size_t axis = 0;
};
// Where the axis is behind an op that only moves elements and keeps this axis whole and in order:
// Identity, Transpose, Squeeze, Unsqueeze, Reshape, Flatten, and a Slice along another axis.
std::optional<AxisPlace> follow_axis(const Node& node, const AxisPlace& place);

// The value that a row of ops came from which hand on all elements in their order under another
// shape (Identity, Reshape, Flatten, Squeeze, Unsqueeze), each used by the next alone.
Value& before_views(Value& value);

}  // namespace hone
