//   Before:  x -> Reshape[1, 32, 8, 32, 8, 96] -> Transpose(0, 1, 3, 2, 4, 5) -> Reshape -> y
//   After:   x -> Reshape[32, 8, 32, 768] -> Transpose(0, 2, 1, 3) -> Reshape -> y
//   Axes of extent 1 go, and neighbours that stay neighbours become one: NPUs take 5 axes at most.
//   Declines below 6 axes, when more than 5 are left, when two extents are open, and when somebody
//   else uses what lies between.
#include <algorithm>

#include "transform/pass.h"

namespace hone::passes {
namespace {

using Dims = std::vector<std::int64_t>;
constexpr std::size_t most_axes = 5;
constexpr std::int64_t open = -1;

// What the Reshape makes, `open` where it is not known; nothing when it is no constant.
std::optional<Dims> shape_made_by(const Node& reshape) {
  const auto written = ints_of(reshape.input(1));
  if (!written || reshape.int_or("allowzero", 0) != 0) return std::nullopt;
  Dims shape = *written;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto known = extent_of(reshape.output(0), axis);
    const auto copied = extent_of(reshape.input(0), axis);
    if (shape[axis] == 0) shape[axis] = copied.value_or(open);
    if (shape[axis] == open) shape[axis] = known.value_or(open);
  }
  return shape;
}

struct Transposed {
  Dims shape;
  Dims perm;
};

// Without the axes of extent 1: they hold nothing that could move.
Transposed without_ones(const Dims& shape, const Dims& perm) {
  Transposed left;
  Dims new_axis(shape.size(), -1);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    new_axis[axis] = static_cast<std::int64_t>(left.shape.size());
    left.shape.push_back(shape[axis]);
  }
  for (const std::int64_t axis : perm) {
    const std::int64_t moved = new_axis[static_cast<std::size_t>(axis)];
    if (moved >= 0) left.perm.push_back(moved);
  }
  return left;
}

// With each run of axes that the Transpose keeps together as one.
std::optional<Transposed> merged(const Transposed& from) {
  Dims group_of(from.shape.size(), 0);
  std::vector<bool> starts(from.shape.size(), true);
  for (std::size_t i = 1; i < from.perm.size(); ++i) {
    if (from.perm[i] == from.perm[i - 1] + 1)
      starts[static_cast<std::size_t>(from.perm[i])] = false;
  }
  Transposed to;
  for (std::size_t axis = 0; axis < from.shape.size(); ++axis) {
    if (starts[axis]) to.shape.push_back(1);
    group_of[axis] = static_cast<std::int64_t>(to.shape.size()) - 1;
    std::int64_t& extent = to.shape.back();
    const bool is_open = extent == open || from.shape[axis] == open;
    if (is_open) {
      extent = open;
    } else if (__builtin_mul_overflow(extent, from.shape[axis], &extent)) {
      return std::nullopt;
    }
  }
  for (const std::int64_t axis : from.perm) {
    if (starts[static_cast<std::size_t>(axis)]) {
      to.perm.push_back(group_of[static_cast<std::size_t>(axis)]);
    }
  }
  return to;
}

// The shape of the last Reshape with its zeros, which copy from the Transpose, written out.
std::optional<Dims> last_shape(const Node& reshape, const Dims& shape, const Dims& perm) {
  auto last = ints_of(reshape.input(1));
  if (!last || reshape.int_or("allowzero", 0) != 0) return std::nullopt;
  for (std::size_t i = 0; i < last->size(); ++i) {
    if ((*last)[i] != 0) continue;
    const std::int64_t copied = i < perm.size() ? shape[static_cast<std::size_t>(perm[i])] : open;
    if (copied == open) return std::nullopt;
    (*last)[i] = copied;
  }
  return last;
}

void lower(Rewriter& rewriter, const Node& first, const Node& transpose, const Node& second) {
  const auto shape = shape_made_by(first);
  const auto perm = shape ? perm_of(transpose, shape->size()) : std::nullopt;
  if (!perm || perm->size() <= most_axes) return;
  const auto last = last_shape(second, *shape, *perm);
  if (!last || std::ranges::count(*shape, open) > 1) {
    return rewriter.decline(transpose, "two or more extents are open");
  }
  const auto low = merged(without_ones(*shape, *perm));
  if (low && low->shape.empty()) return;
  if (!low || low->shape.size() > most_axes) {
    return rewriter.decline(transpose, "more than 5 axes are left");
  }
  Value& reshaped = rewriter.add_reshape(transpose, *first.input(0), low->shape);
  Value& moved = rewriter.add_transpose(transpose, reshaped, low->perm);
  rewriter.replace(*second.output(0), rewriter.add_reshape(second, moved, *last));
}

Status run(Rewriter& rewriter) {
  for (Node* transpose : rewriter.nodes("Transpose")) {
    const Node* first = producer_of(transpose->input(0), "Reshape");
    if (first == nullptr || first->input(0) == nullptr) continue;
    const Node* second = only_consumer(*transpose->output(0));
    if (second == nullptr || !second->is("Reshape") || second->input(0) != transpose->output(0)) {
      continue;
    }
    if (only_consumer(*transpose->input(0)) != transpose) continue;
    lower(rewriter, *first, *transpose, *second);
  }
  return done();
}

}  // namespace

Pass highdimRTR_lowdimRTR() {
  return {.name = "highdimRTR-lowdimRTR",
          .summary = "Transpose fewer axes between Reshapes: 5 where there were more",
          .category = "rewrite",
          .numerics = Numerics::bitwise,
          .run = run,
          .detection = Detection{.aim = Aim::accelerators}};
}

}  // namespace hone::passes
