#include "checkpoint/convnet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "checkpoint/heads.h"
#include "checkpoint/stages.h"

namespace hone {
namespace {

constexpr std::int64_t largest_size = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_layers = 1'000;

bool all_between(const std::vector<std::int64_t>& numbers, std::int64_t low, std::int64_t high) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](std::int64_t number) { return number >= low && number <= high; });
}

}  // namespace

Stages read_stages(const Config& config, std::vector<std::int64_t> widths,
                   std::vector<std::int64_t> depths) {
  const Stages harmless{{1}, {0}};
  Stages stages{stage_sizes(config, "hidden_sizes", std::move(widths)),
                stage_depths(config, std::move(depths))};
  if (stages.widths.size() != stages.depths.size() || stages.widths.empty()) {
    config.refuse("depths", "there have to be as many as hidden_sizes, and at least one");
    return harmless;
  }
  if (stages.depths.size() > most_layers || !all_between(stages.depths, 1, most_layers) ||
      std::accumulate(stages.depths.begin(), stages.depths.end(), std::int64_t{0}) > most_layers) {
    config.refuse("depths", "each has to be at least 1, and all together at most 1,000");
    return harmless;
  }
  return stages;
}

std::vector<std::int64_t> read_sizes(const Config& config, std::string_view key,
                                     std::vector<std::int64_t> otherwise, std::size_t count) {
  std::vector<std::int64_t> sizes = config.wholes(key, std::move(otherwise));
  if (sizes.size() == count && all_between(sizes, 1, largest_size)) return sizes;
  config.refuse(key, "it has to be a list of " + std::to_string(count) + " sizes");
  return std::vector<std::int64_t>(count, 1);
}

double read_factor(const Config& config, std::string_view key, double otherwise) {
  const double factor = config.real(key, otherwise);
  if (factor > 0 && factor <= 1'000) return factor;
  config.refuse(key, "it can be more than 0 and at most 1,000");
  return 1;
}

std::int64_t round_half_even(double number) {
  return static_cast<std::int64_t>(std::nearbyint(number));
}

std::int64_t make_divisible(double value, std::int64_t divisor, std::int64_t least) {
  const auto shifted = static_cast<std::int64_t>(value + static_cast<double>(divisor) / 2);
  const std::int64_t rounded = std::max(least, shifted / divisor * divisor);
  return static_cast<double>(rounded) < 0.9 * value ? rounded + divisor : rounded;
}

Value* convolve_and_normalize(Net& net, std::string_view module, Value* x, const Convolution& conv,
                              double epsilon) {
  const Net::Scope scope = net.enter(module);
  return net.batch_norm("normalization", net.convolution("convolution", x, conv), conv.out,
                        epsilon);
}

Convolution keeping_size(std::int64_t in, std::int64_t out, std::int64_t kernel,
                         std::int64_t stride, std::int64_t dilation) {
  const std::int64_t padding = (kernel - 1) / 2 * dilation;
  return {.in = in,
          .out = out,
          .kernel = {kernel, kernel},
          .stride = {stride, stride},
          .padding = {padding, padding},
          .dilation = {dilation, dilation},
          .bias = false};
}

Value* squeeze_and_excite(Net& net, Value* x, const Squeeze& squeeze) {
  Value* mean = net.op("GlobalAveragePool", {x});
  Value* inner = net.convolution(squeeze.reduce, mean,
                                 {.in = squeeze.channels, .out = squeeze.inner, .kernel = {1, 1}});
  Value* outer = net.convolution(squeeze.expand, net.activation(squeeze.act, inner),
                                 {.in = squeeze.inner, .out = squeeze.channels, .kernel = {1, 1}});
  return net.mul(x, net.sigmoid(outer));
}

Value* inverted_residual(Net& net, Value* x, const InvertedResidual& block) {
  Value* wide = convolve_and_normalize(net, "expand_1x1", x, keeping_size(block.in, block.inner, 1),
                                       block.epsilon);
  Convolution each = keeping_size(block.inner, block.inner, 3, block.stride, block.dilation);
  each.groups = block.inner;
  each.pads_to_same = block.pads_to_same && block.stride > 1;
  wide =
      convolve_and_normalize(net, "conv_3x3", net.activation(block.act, wide), each, block.epsilon);
  Value* narrow = convolve_and_normalize(net, "reduce_1x1", net.activation(block.act, wide),
                                         keeping_size(block.inner, block.out, 1), block.epsilon);
  const bool is_residual = block.stride == 1 && block.in == block.out;
  return is_residual ? net.add(x, narrow) : narrow;
}

Value* spread(Net& net, Value* pixel, Value* over) {
  return net.expand(pixel, net.dims({1, 1, net.size_of(over, 2), net.size_of(over, 3)}));
}

void write_picture(Net& net, const Config& config, std::string_view task, Value* x, Value* pooled,
                   std::int64_t width) {
  if (task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", width, "feature_height", "feature_width"});
    net.output("pooler_output", pooled, {"batch_size", width});
    return;
  }
  const std::int64_t labels = label_count(config);
  net.output("logits", net.linear("classifier", pooled, width, labels), {"batch_size", labels});
}

void write_pooled_picture(Net& net, const Config& config, std::string_view task, Value* x,
                          std::int64_t width) {
  Value* pooled = net.op("GlobalAveragePool", {x});
  if (task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", width, "feature_height", "feature_width"});
    net.output("pooler_output", pooled, {"batch_size", width, 1, 1});
    return;
  }
  const std::int64_t labels = label_count(config);
  Value* flat = net.op("Flatten", {pooled});
  net.output("logits", net.linear("classifier.1", flat, width, labels), {"batch_size", labels});
}

}  // namespace hone
