//   Before:  x -> Slice [0, 2) -> a      x -> Slice [2, 5) -> b
//   After:   x -> Split(2, 3) -> a, b
//   Declines when the Slices do not cover the axis, each element once, and when its extent is not
//   known. ONNX Runtime's optimizer of this name does the same for Gathers.
#include <algorithm>
#include <set>

#include "transform/axes.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

struct Part {
  Node* slice;
  Range range;
};

// The Slices of x along that axis, in the order in which they cut it.
std::vector<Part> parts_along(const Value& x, std::size_t axis, std::int64_t extent) {
  std::vector<Part> parts;
  for (const Use& use : x.uses()) {
    const Node& node = *use.node;
    if (use.index != 0 || !node.is("Slice") || node.output(0) == nullptr) continue;
    if (&node.graph() != &x.graph()) continue;
    const auto bounds = slice_bounds(node, *rank_of(&x));
    if (bounds && bounds->axis == axis) parts.push_back({use.node, range_of(*bounds, extent)});
  }
  std::ranges::sort(parts, {}, [](const Part& part) { return part.range.first; });
  return parts;
}

bool covers(const std::vector<Part>& parts, std::int64_t extent) {
  std::int64_t end = 0;
  for (const Part& part : parts) {
    if (part.range.count == 0 || part.range.first != end) return false;
    end = part.range.end();
  }
  return end == extent;
}

void fuse(Rewriter& rewriter, Value& x, std::size_t axis, const std::vector<Part>& parts) {
  const Node& position = *parts.front().slice;
  std::vector<std::int64_t> sizes;
  std::vector<Type> types;
  for (const Part& part : parts) {
    sizes.push_back(part.range.count);
    types.push_back(part.slice->output(0)->type);
  }
  NewNode split{.op = "Split", .inputs = {&x}};
  split.attributes.push_back(make_attribute("axis", static_cast<std::int64_t>(axis)));
  // The sizes were an attribute before opset 13.
  if (rewriter.opset() < 13) {
    split.attributes.push_back(make_attribute("split", sizes));
  } else {
    split.inputs.push_back(&rewriter.add_ints(position, x.name() + "_split", sizes));
  }
  const auto outputs = rewriter.add_outputs(position, std::move(split), std::move(types));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    rewriter.replace(*parts[i].slice->output(0), *outputs[i]);
  }
}

void look_at(Rewriter& rewriter, Value& x, std::size_t axis) {
  const auto extent = extent_of(&x, axis);
  const std::vector<Part> parts = extent ? parts_along(x, axis, *extent) : std::vector<Part>{};
  if (parts.size() < 2) return;
  if (!covers(parts, *extent)) {
    return rewriter.decline(*parts.front().slice,
                            "the Slices beside it do not cover the axis, each element once");
  }
  fuse(rewriter, x, axis, parts);
}

Status run(Rewriter& rewriter) {
  std::set<std::pair<const Value*, std::size_t>> seen;
  for (Node* slice : rewriter.nodes("Slice")) {
    Value* x = slice->input(0);
    const auto rank = rank_of(x);
    const auto bounds = rank ? slice_bounds(*slice, *rank) : std::nullopt;
    if (bounds && seen.insert({x, bounds->axis}).second) look_at(rewriter, *x, bounds->axis);
  }
  return done();
}

}  // namespace

Pass gather_slice_to_split_fusion() {
  return {.name = "gather-slice-to-split-fusion",
          .summary = "Make one Split of Slices that cut an axis into pieces",
          .category = "rewrite",
          .numerics = Numerics::bitwise,
          .run = run,
          .detection = Detection{.makes = "Split", .native_since = 1}};
}

}  // namespace hone::passes
