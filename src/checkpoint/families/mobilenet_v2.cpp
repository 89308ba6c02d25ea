// MobileNetV2: inverted residual blocks of fixed widths, all scaled by one factor. For segmentation
// the head of DeepLabV3+.

#include <array>

#include "checkpoint/convnet.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

constexpr std::array<std::int64_t, 17> base_widths = {16, 24, 24, 32, 32,  32,  64,  64, 64,
                                                      64, 96, 96, 96, 160, 160, 160, 320};
constexpr std::array<std::int64_t, 16> base_strides = {2, 1, 2, 1, 1, 2, 1, 1,
                                                       1, 1, 1, 1, 2, 1, 1, 1};

struct Sizes {
  std::int64_t channels, divisor, least, output_stride;
  double depth, expansion, epsilon;
  bool expands_first, keeps_output_wide, pads_to_same;
  std::string act;

  std::int64_t scaled(std::int64_t width) const {
    const std::int64_t rounded = round_half_even(static_cast<double>(width) * depth);
    return make_divisible(static_cast<double>(rounded), divisor, least);
  }
  std::int64_t expanded(std::int64_t width) const {
    const std::int64_t rounded = round_half_even(static_cast<double>(width) * expansion);
    return make_divisible(static_cast<double>(rounded), divisor, least);
  }
  std::int64_t output() const { return keeps_output_wide && depth < 1.0 ? 1280 : scaled(1280); }
};

Sizes read_sizes(const Config& config) {
  return {.channels = config.size("num_channels", 3),
          .divisor = config.size("depth_divisible_by", 8),
          .least = config.size("min_depth", 8),
          .output_stride = config.size("output_stride", 32),
          .depth = read_factor(config, "depth_multiplier", 1.0),
          .expansion = read_factor(config, "expand_ratio", 6.0),
          .epsilon = config.real("layer_norm_eps", 0.001),
          .expands_first = !config.flag("first_layer_is_expansion", true),
          .keeps_output_wide = config.flag("finegrained_output", true),
          .pads_to_same = config.flag("tf_padding", true),
          .act = config.word("hidden_act", "relu6")};
}

Value* stem(Net& net, const Sizes& s, Value* x) {
  const Net::Scope scope = net.enter("conv_stem");
  const std::int64_t inner = s.scaled(32);
  const auto step = [&](std::string_view module, const Convolution& conv) {
    x = net.activation(s.act, convolve_and_normalize(net, module, x, conv, s.epsilon));
  };
  Convolution first = keeping_size(s.channels, inner, 3, 2);
  first.pads_to_same = s.pads_to_same;
  step("first_conv", first);
  if (s.expands_first) step("expand_1x1", keeping_size(inner, inner, 1));
  Convolution each = keeping_size(inner, inner, 3);
  each.groups = inner;
  step("conv_3x3", each);
  return convolve_and_normalize(net, "reduce_1x1", x,
                                keeping_size(inner, s.scaled(base_widths.front()), 1), s.epsilon);
}

Value* encode(Net& net, const Sizes& s, Value* x) {
  x = stem(net, s, x);
  std::int64_t reached = 2;
  std::int64_t dilation = 1;
  for (std::size_t i = 0; i < base_strides.size(); ++i) {
    const Net::Scope scope = net.enter("layer", static_cast<std::int64_t>(i));
    InvertedResidual block{.in = s.scaled(base_widths[i]),
                           .inner = s.expanded(s.scaled(base_widths[i])),
                           .out = s.scaled(base_widths[i + 1]),
                           .act = s.act,
                           .epsilon = s.epsilon,
                           .pads_to_same = s.pads_to_same};
    if (reached == s.output_stride) {  // small enough: the next blocks look further instead
      block.dilation = dilation;
      dilation *= base_strides[i];
    } else {
      block.stride = base_strides[i];
      reached *= block.stride;
    }
    x = inverted_residual(net, x, block);
  }
  return x;
}

Value* segment(Net& net, const Sizes& s, Value* x, std::int64_t labels) {
  const Net::Scope scope = net.enter("segmentation_head");
  const std::int64_t width = s.scaled(base_widths.back());
  const auto step = [&](std::string_view module, Value* from, std::int64_t in) {
    return net.op("Relu", {convolve_and_normalize(net, module, from, keeping_size(in, 256, 1))});
  };
  Value* pooled = step("conv_pool", net.op("GlobalAveragePool", {x}), width);
  Value* local = step("conv_aspp", x, width);
  x = step("conv_projection", net.concat({spread(net, pooled, x), local}, 1), 512);
  return net.convolution("classifier.convolution", x, {.in = 256, .out = labels, .kernel = {1, 1}});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  Value* x = image_input(net, s.channels, "height", "width");
  const bool segments = wanted.task == "image-segmentation";
  const std::int64_t width = s.output();
  {
    const Net::Scope base = net.enter_base("mobilenet_v2");
    x = encode(net, s, x);
    Convolution last = keeping_size(s.scaled(base_widths.back()), width, 1);
    Value* wide =
        net.activation(s.act, convolve_and_normalize(net, "conv_1x1", x, last, s.epsilon));
    if (!segments) x = wide;  // segmentation has its weights, and does without them
  }
  if (segments) {
    const std::int64_t labels = label_count(config);
    net.output("logits", segment(net, s, x, labels),
               {"batch_size", labels, "feature_height", "feature_width"});
    return;
  }
  Value* pooled = net.op("Flatten", {net.op("GlobalAveragePool", {x})});
  write_picture(net, config, wanted.task, x, pooled, width);
}

}  // namespace

Family mobilenet_v2() {
  return {.name = "mobilenet_v2",
          .model_types = {"mobilenet_v2"},
          .tasks = {"feature-extraction", "image-classification", "image-segmentation"},
          .write = write};
}

}  // namespace hone::families
