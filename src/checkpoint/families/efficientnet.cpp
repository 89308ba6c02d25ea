// EfficientNet: mobile blocks that weigh their channels, of listed sizes that two factors scale.

#include <algorithm>
#include <cmath>

#include "checkpoint/convnet.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

struct Block {
  std::int64_t in, out, kernel, stride, expansion;
  bool is_first;     // of its stage: without a residual
  bool pads_at_end;  // one more at the end than at the beginning, where it downsamples
};

struct Sizes {
  std::int64_t channels, divisor, output;
  double width_factor, squeeze, epsilon;
  std::vector<Block> blocks;
  std::string act;
  bool pools_by_mean;

  std::int64_t scaled(std::int64_t width) const {
    return make_divisible(static_cast<double>(width) * width_factor, divisor, divisor);
  }
};

struct Lists {
  std::vector<std::int64_t> in, out, kernels, strides, repeats, expansions, square;
};

Lists read_lists(const Config& config) {
  const std::vector<std::int64_t> in = config.wholes("in_channels", {32, 16, 24, 40, 80, 112, 192});
  const std::size_t count = in.size();
  if (count == 0 || count > 100) config.refuse("in_channels", "it can have 1 to 100 stages");
  const std::size_t stages = std::clamp<std::size_t>(count, 1, 100);
  return {.in = read_sizes(config, "in_channels", {32, 16, 24, 40, 80, 112, 192}, stages),
          .out = read_sizes(config, "out_channels", {16, 24, 40, 80, 112, 192, 320}, stages),
          .kernels = read_sizes(config, "kernel_sizes", {3, 3, 5, 3, 5, 5, 3}, stages),
          .strides = read_sizes(config, "strides", {1, 2, 2, 2, 1, 2, 1}, stages),
          .repeats = read_sizes(config, "num_block_repeats", {1, 2, 2, 3, 3, 4, 1}, stages),
          .expansions = read_sizes(config, "expand_ratios", {1, 6, 6, 6, 6, 6, 6}, stages),
          .square = config.wholes("depthwise_padding", {})};
}

void check_stage(const Config& config, const Lists& lists, std::size_t i) {
  if (lists.strides[i] > 2) config.refuse("strides", "each can be 1 or 2");
  if (lists.strides[i] == 2 && lists.kernels[i] < 2) {
    config.refuse("kernel_sizes", "where a stage has a stride of 2 it has to be larger than 1");
  }
  if (lists.expansions[i] > 1'000) config.refuse("expand_ratios", "each can be at most 1,000");
}

std::vector<Block> read_blocks(const Config& config, const Sizes& s) {
  constexpr std::int64_t most = 1'000;
  const Lists lists = read_lists(config);
  const double depth_factor = read_factor(config, "depth_coefficient", 3.1);
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < lists.in.size(); ++i) {
    check_stage(config, lists, i);
    const double repeats = std::ceil(depth_factor * static_cast<double>(lists.repeats[i]));
    if (repeats + static_cast<double>(blocks.size()) > most) {
      config.refuse("num_block_repeats", "all together can be at most 1,000");
      return {};
    }
    const std::int64_t out = s.scaled(lists.out[i]);
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(repeats); ++j) {
      const auto number = static_cast<std::int64_t>(blocks.size());
      const bool is_square =
          std::find(lists.square.begin(), lists.square.end(), number) != lists.square.end();
      blocks.push_back({.in = j == 0 ? s.scaled(lists.in[i]) : out,
                        .out = out,
                        .kernel = lists.kernels[i],
                        .stride = j == 0 ? lists.strides[i] : 1,
                        .expansion = lists.expansions[i],
                        .is_first = j == 0,
                        .pads_at_end = !is_square});
    }
  }
  return blocks;
}

Sizes read_sizes_of(const Config& config) {
  Sizes s{.channels = config.size("num_channels", 3),
          .divisor = config.size("depth_divisor", 8),
          .output = config.size("hidden_dim", 2560),
          .width_factor = read_factor(config, "width_coefficient", 2.0),
          .squeeze = read_factor(config, "squeeze_expansion_ratio", 0.25),
          .epsilon = config.real("batch_norm_eps", 0.001),
          .blocks = {},
          .act = config.word("hidden_act", "swish"),
          .pools_by_mean = config.one_of("pooling_type", {"mean", "max"}, "mean") == "mean"};
  s.blocks = read_blocks(config, s);
  return s;
}

Convolution depthwise(const Block& b, std::int64_t width) {
  Convolution conv{.in = width,
                   .out = width,
                   .kernel = {b.kernel, b.kernel},
                   .stride = {b.stride, b.stride},
                   .groups = width,
                   .bias = false};
  std::int64_t before = (b.kernel - 1) / 2;
  std::int64_t after = b.kernel - 1 - before;
  if (b.stride == 2) {
    after = b.kernel / 2;
    before = b.pads_at_end ? after - 1 : after;
  }
  conv.padding = {before, before};
  conv.padding_after = {after, after};
  return conv;
}

Value* block(Net& net, const Sizes& s, Value* x, const Block& b) {
  const std::int64_t width = b.in * b.expansion;
  Value* inner = x;
  if (b.expansion != 1) {
    const Net::Scope scope = net.enter("expansion");
    inner = net.convolution("expand_conv", inner, keeping_size(b.in, width, 1));
    inner = net.activation(s.act, net.batch_norm("expand_bn", inner, width, s.epsilon));
  }
  {
    const Net::Scope scope = net.enter("depthwise_conv");
    inner = net.convolution("depthwise_conv", inner, depthwise(b, width));
    inner = net.activation(s.act, net.batch_norm("depthwise_norm", inner, width, s.epsilon));
  }
  {
    const Net::Scope scope = net.enter("squeeze_excite");
    const auto squeezed = static_cast<std::int64_t>(static_cast<double>(b.in) * s.squeeze);
    inner = squeeze_and_excite(net, inner,
                               {.channels = width,
                                .inner = std::max<std::int64_t>(1, squeezed),
                                .reduce = "reduce",
                                .expand = "expand",
                                .act = s.act});
  }
  const Net::Scope scope = net.enter("projection");
  inner = net.convolution("project_conv", inner, keeping_size(width, b.out, 1));
  inner = net.batch_norm("project_bn", inner, b.out, s.epsilon);
  return b.stride == 1 && !b.is_first ? net.add(inner, x) : inner;
}

Value* encode(Net& net, const Sizes& s, Value* x) {
  {
    const Net::Scope scope = net.enter("embeddings");
    Convolution first = keeping_size(s.channels, s.scaled(32), 3, 2);
    first.padding = {0, 0};
    first.padding_after = {1, 1};
    x = net.convolution("convolution", x, first);
    x = net.activation(s.act, net.batch_norm("batchnorm", x, first.out, s.epsilon));
  }
  const Net::Scope scope = net.enter("encoder");
  std::int64_t width = 1;
  for (std::size_t i = 0; i < s.blocks.size(); ++i) {
    const Net::Scope inner = net.enter("blocks", static_cast<std::int64_t>(i));
    x = block(net, s, x, s.blocks[i]);
    width = s.blocks[i].out;
  }
  x = net.convolution("top_conv", x, keeping_size(width, s.scaled(1280), 1));
  return net.activation(s.act, net.batch_norm("top_bn", x, s.output, s.epsilon));
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes_of(config);
  Value* x = image_input(net, s.channels, "height", "width");
  {
    const Net::Scope base = net.enter_base("efficientnet");
    x = encode(net, s, x);
  }
  // transformers pools windows of hidden_dim pixels, of which a picture has one.
  Value* pooled = net.op(s.pools_by_mean ? "GlobalAveragePool" : "GlobalMaxPool", {x});
  pooled = net.op("Flatten", {pooled});
  write_picture(net, config, wanted.task, x, pooled, s.output);
}

}  // namespace

Family efficientnet() {
  return {.name = "efficientnet",
          .model_types = {"efficientnet"},
          .tasks = {"feature-extraction", "image-classification"},
          .write = write};
}

}  // namespace hone::families
