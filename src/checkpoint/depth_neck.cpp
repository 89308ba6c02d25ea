#include "checkpoint/depth_neck.h"

#include <algorithm>
#include <cmath>

#include "checkpoint/stages.h"

namespace hone {
namespace {

// Published ones make maps four times as large, or half.
constexpr double largest_factor = 64;

bool can_be(double factor) {
  if (factor >= 1) return factor <= largest_factor && factor == std::trunc(factor);
  return factor >= 1 / largest_factor;
}

Value* height_width(Net& net, Value* x) { return net.op("Shape", {x}, {{"start", 2}}); }

Convolution square_convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, bool bias) {
  return {.in = in,
          .out = out,
          .kernel = {kernel, kernel},
          .padding = {kernel / 2, kernel / 2},
          .bias = bias};
}

Value* residual_unit(Net& net, const DepthNeck& neck, std::string_view module, Value* x) {
  const Net::Scope scope = net.enter(module);
  Value* inner = x;
  for (const std::string part : {"1", "2"}) {
    inner = net.convolution("convolution" + part, net.op("Relu", {inner}),
                            square_convolution(neck.fusion, neck.fusion, 3, neck.has_bias));
    if (neck.has_norms) inner = net.batch_norm("batch_norm" + part, inner, neck.fusion);
  }
  return net.add(inner, x);
}

// The first fused map has nothing to add: what the checkpoint has for it is never used.
void ignore_first_residual(Net& net) {
  const Net::Scope scope = net.enter("fusion_stage.layers.0.residual_layer1");
  for (const std::string part : {"1", "2"}) {
    for (const char* name : {"weight", "bias"}) net.ignore("convolution" + part + "." + name);
    for (const char* name :
         {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"}) {
      net.ignore("batch_norm" + part + "." + name);
    }
  }
}

}  // namespace

DepthNeck read_depth_neck(const Config& config, std::vector<std::int64_t> widths,
                          std::int64_t fusion) {
  DepthNeck neck{.widths = stage_sizes(config, "neck_hidden_sizes", std::move(widths)),
                 .factors = config.reals("reassemble_factors", {4, 2, 1, 0.5}),
                 .fusion = config.size("fusion_hidden_size", fusion)};
  const auto count = static_cast<std::int64_t>(neck.widths.size());
  if (neck.factors.size() != neck.widths.size()) {
    config.refuse("reassemble_factors", "there have to be as many as neck_hidden_sizes");
    neck.widths = {};
  }
  if (!std::all_of(neck.factors.begin(), neck.factors.end(), can_be)) {
    config.refuse("reassemble_factors", "each has to be a whole number or below one");
    neck.widths = {};
  }
  const std::int64_t index = config.whole("head_in_index", -1);
  if (index < -count || index >= count) {
    config.refuse("head_in_index", "it has to be one of neck_hidden_sizes");
    neck.widths = {};
  } else {
    neck.head_index = static_cast<std::size_t>(index < 0 ? index + count : index);
  }
  return neck;
}

Value* reassemble(Net& net, const DepthNeck& neck, std::size_t level, Value* map, std::int64_t in) {
  const Net::Scope scope = net.enter("reassemble_stage.layers", static_cast<std::int64_t>(level));
  const std::int64_t out = neck.widths[level];
  const double factor = neck.factors[level];
  map = net.convolution("projection", map, square_convolution(in, out, 1, true));
  if (factor == 1) return map;
  if (factor > 1) {
    const auto times = static_cast<std::int64_t>(factor);
    return net.transposed_convolution(
        "resize", map, {.in = out, .out = out, .kernel = {times, times}, .stride = {times, times}});
  }
  Convolution shrink = square_convolution(out, out, 3, true);
  const auto step = static_cast<std::int64_t>(1 / factor);
  shrink.stride = {step, step};
  return net.convolution("resize", map, shrink);
}

Value* fuse_levels(Net& net, const DepthNeck& neck, std::vector<Value*> maps, FusedSize size) {
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Net::Scope scope = net.enter("convs");
    maps[i] = net.convolution(std::to_string(i), maps[i],
                              square_convolution(neck.widths[i], neck.fusion, 3, false));
  }
  ignore_first_residual(net);
  std::reverse(maps.begin(), maps.end());
  Value* fused = maps.front();
  Value* taken = fused;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Net::Scope scope = net.enter("fusion_stage.layers", static_cast<std::int64_t>(i));
    if (i > 0) {
      Value* added = maps[i];
      if (size == FusedSize::twice) {
        added = net.resize(added, height_width(net, fused), Net::Interpolation::bilinear);
      }
      fused = net.add(fused, residual_unit(net, neck, "residual_layer1", added));
    }
    fused = residual_unit(net, neck, "residual_layer2", fused);
    const bool is_as_next = size == FusedSize::of_next && i + 1 < maps.size();
    fused = is_as_next ? upsample(net, fused, height_width(net, maps[i + 1]))
                       : upsample_twice(net, fused);
    fused =
        net.convolution("projection", fused, square_convolution(neck.fusion, neck.fusion, 1, true));
    if (i == neck.head_index) taken = fused;
  }
  return taken;
}

Value* upsample(Net& net, Value* x, Value* height_width) {
  return net.resize(x, height_width, Net::Interpolation::bilinear, true);
}

Value* upsample_twice(Net& net, Value* x) {
  return upsample(net, x, net.op("Mul", {height_width(net, x), net.wholes({2})}));
}

}  // namespace hone
