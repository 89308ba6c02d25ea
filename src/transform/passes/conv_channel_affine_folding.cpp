//   Before:  Conv(x, W, b) -> Mul(s) -> Add(t) -> y      (also Sub and Div; s, t: one number, or
//   one
//            per channel), directly or behind channel Slices, a Split, and views that keep channels
//   After:   Conv(x, W * s, b * s + t) -> y
//   Declines when the weights are no constants, when somebody else uses what lies between, when the
//   constant varies along another axis, and when a weight would leave its type's range. Below opset
//   7 broadcasting was another.
#include <algorithm>
#include <ranges>

#include "transform/axes.h"
#include "transform/linear.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

// A hostile chain of views must not use up the stack.
constexpr int most_steps = 64;

// Some of the convolution's channels on their way.
struct Route {
  Value* value;
  AxisPlace place;
  Range channels;

  Channels as_channels() const {
    return {static_cast<std::size_t>(channels.count), place.rank - 1 - place.axis, place.rank};
  }
  Route through(Node& node) const { return {node.output(0), place, channels}; }
  Route part(Value& output, const Range& range) const {
    return {&output, place, {channels.first + range.first, range.count}};
  }
};

struct Step {
  AffineStep affine;
  Range channels;
};

// The parts of the channels that Slices take, when all users are such and no two overlap.
std::vector<Route> sliced(const Route& route) {
  std::vector<Route> parts;
  for (const Use& use : route.value->uses()) {
    const bool is_slice = use.node->is("Slice") && use.index == 0 && use.node->output(0) &&
                          &use.node->graph() == &route.value->graph();
    const auto bounds = is_slice ? slice_bounds(*use.node, route.place.rank) : std::nullopt;
    if (!bounds || bounds->axis != route.place.axis) return {};
    const Range range = range_of(*bounds, route.channels.count);
    if (range.count == 0) return {};
    parts.push_back(route.part(*use.node->output(0), range));
  }
  std::ranges::sort(parts, {}, [](const Route& part) { return part.channels.first; });
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].channels.first < parts[i - 1].channels.end()) return {};
  }
  return parts;
}

std::vector<Route> split(const Route& route, Node& node) {
  if (axis_of(node.int_or("axis", 0), route.place.rank) != route.place.axis) return {};
  const auto sizes = split_sizes(node, route.channels.count);
  if (!sizes) return {};
  std::vector<Route> parts;
  Range range;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    range = {range.end(), (*sizes)[i]};
    if (Value* output = node.output(i)) parts.push_back(route.part(*output, range));
  }
  return parts;
}

void follow(const Route& route, int depth, std::vector<Step>& steps) {
  if (depth == most_steps || route.value->is_graph_output()) return;
  for (const Route& part : sliced(route)) follow(part, depth + 1, steps);
  Node* node = only_consumer(*route.value);
  if (node == nullptr) return;
  if (auto step = affine_step(*node, route.as_channels())) {
    steps.push_back({std::move(*step), route.channels});
    return follow(route.through(*node), depth + 1, steps);
  }
  if (node->is("Split")) {
    for (const Route& part : split(route, *node)) follow(part, depth + 1, steps);
  } else if (const auto place = follow_axis(*node, route.place)) {
    follow({node->output(0), *place, route.channels}, depth + 1, steps);
  }
}

// All steps as one, over all channels of the convolution.
Affine combined(const std::vector<Step>& steps, std::size_t channels) {
  Affine all = Affine::identity(channels);
  for (const Step& step : steps) {
    for (std::size_t i = 0; i < step.affine.affine.scale.size(); ++i) {
      const std::size_t channel = static_cast<std::size_t>(step.channels.first) + i;
      const double scale = step.affine.affine.scale[i];
      all.scale[channel] *= scale;
      all.offset[channel] = all.offset[channel] * scale + step.affine.affine.offset[i];
    }
  }
  return all;
}

// Says why the constant right behind the convolution stays where it is.
void explain(Rewriter& rewriter, const Value& output, bool has_weights) {
  for (const Use& use : output.uses()) {
    const bool is_candidate = use.node->is("Mul") || use.node->is("Add");
    if (!is_candidate || !constant_operand(*use.node)) continue;
    if (!has_weights) {
      rewriter.decline(*use.node, "the weights before it are no constants");
    } else if (only_consumer(output) == nullptr) {
      rewriter.decline(*use.node, "somebody else uses what it changes");
    } else {
      rewriter.decline(*use.node, "its constant is neither one number nor one per channel");
    }
  }
}

void fold(Rewriter& rewriter, Node& conv) {
  const auto linear = linear_of(conv);
  if (!linear) return explain(rewriter, *conv.output(0), false);
  std::vector<Step> steps;
  const std::size_t rank = *linear->out.rank;
  follow({conv.output(0), {rank, 1}, {0, static_cast<std::int64_t>(linear->out.count)}}, 0, steps);
  if (steps.empty()) return explain(rewriter, *conv.output(0), true);
  if (!rewriter.has_opset(conv, "Broadcasting by shape", 7)) return;
  const Folded folded = fold_after(*linear, combined(steps, linear->out.count));
  if (!folded.is_valid) return rewriter.decline(conv, out_of_range);
  apply(rewriter, *linear, folded);
  // The last one first: what it hands on may go itself.
  for (const Step& step : steps | std::views::reverse) {
    rewriter.replace(*step.affine.node->output(0), *step.affine.input);
  }
}

Status run(Rewriter& rewriter) {
  for (Node* node : rewriter.nodes()) {
    const bool is_conv = node->is("Conv") || node->is("ConvTranspose");
    if (is_conv && !node->is_removed() && node->output(0) != nullptr) fold(rewriter, *node);
  }
  return done();
}

}  // namespace

Pass conv_channel_affine_folding() {
  return {.name = "conv-channel-affine-folding",
          .summary = "Fold constant Mul and Add behind a Conv into its weights",
          .category = "convolution",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
