//   Before:  x -> Split(sizes) -> a, b, c
//   After:   x -> Slice -> a      x -> Slice -> b      x -> Slice -> c
//   For devices without Split. Declines below opset 10, where Slice has attributes, and when the
//   extent of the axis or the sizes are not known, or do not add up.
#include "transform/axes.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

Type type_of_part(const Value& x, std::size_t axis, std::int64_t size) {
  Type type = x.type;
  (*type.shape)[axis] = Dim{.value = size};
  return type;
}

void rewrite(Rewriter& rewriter, Node& split) {
  Value& x = *split.input(0);
  const auto rank = rank_of(&x);
  const auto axis = rank ? axis_of(split.int_or("axis", 0), *rank) : std::nullopt;
  const auto extent = axis ? extent_of(&x, *axis) : std::nullopt;
  const auto sizes = extent ? split_sizes(split, *extent) : std::nullopt;
  if (!sizes || !x.type.shape) {
    return rewriter.decline(split, "its sizes, or the axis it splits, are not known");
  }
  if (!rewriter.has_opset(split, "Slice with inputs", 10)) return;
  Value& axes =
      rewriter.add_ints(split, x.name() + "_axes", std::vector{static_cast<std::int64_t>(*axis)});
  Value& steps = rewriter.add_ints(split, x.name() + "_steps", std::vector<std::int64_t>{1});
  Range range;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    range = {range.end(), (*sizes)[i]};
    Value* output = split.output(i);
    if (output == nullptr || !output->is_used()) continue;
    Value& first = rewriter.add_ints(split, x.name() + "_starts", std::vector{range.first});
    Value& end = rewriter.add_ints(split, x.name() + "_ends", std::vector{range.end()});
    rewriter.replace(*output, rewriter.add(split, {.op = "Slice",
                                                   .inputs = {&x, &first, &end, &axes, &steps},
                                                   .type = type_of_part(x, *axis, range.count)}));
  }
}

Status run(Rewriter& rewriter) {
  for (Node* split : rewriter.nodes("Split")) {
    if (!split->is_removed() && split->input(0) != nullptr) rewrite(rewriter, *split);
  }
  return done();
}

}  // namespace

Pass static_split_to_slice() {
  return {.name = "static-split-to-slice",
          .summary = "Write a Split of known sizes as Slices",
          .category = "rewrite",
          .numerics = Numerics::bitwise,
          .run = run};
}

}  // namespace hone::passes
