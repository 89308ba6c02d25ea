#include "checkpoint/resnet_layers.h"

namespace hone {
namespace {

struct Layer {
  std::int64_t in, out, stride;
  bool is_first;  // of its stage
};

std::vector<Convolution> steps_of(const ResnetSizes& s, const Layer& l) {
  if (!s.is_bottleneck) {
    return {keeping_size(l.in, l.out, 3, l.stride), keeping_size(l.out, l.out, 3)};
  }
  const std::int64_t inner = l.out / 4;
  const bool at_once = s.downsamples_in_bottleneck;
  return {keeping_size(l.in, inner, 1, at_once ? l.stride : 1),
          keeping_size(inner, inner, 3, at_once ? 1 : l.stride), keeping_size(inner, l.out, 1)};
}

Value* halve_by_means(Net& net, Value* x) {
  using Ints = std::vector<std::int64_t>;
  return net.op("AveragePool", {x},
                {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"ceil_mode", 1}});
}

Value* deep_shortcut(Net& net, const ResnetSizes& s, Value* x, const Layer& l) {
  const bool changes = l.in != l.out || l.stride != 1;
  const bool takes_means = s.is_bottleneck ? l.stride == 2 : l.in != l.out;
  if (s.is_bottleneck ? !changes : !l.is_first) return x;
  if (!takes_means) {
    return convolve_and_normalize(net, "shortcut", x, keeping_size(l.in, l.out, 1, l.stride));
  }
  // The means halve the picture whatever the layer does.
  if (l.stride != 2) {
    net.problems().add(
        "config.json: hidden_sizes begins with another than embedding_size, which "
        "basic layers cannot");
  }
  return convolve_and_normalize(net, "shortcut.1", halve_by_means(net, x),
                                keeping_size(l.in, l.out, 1));
}

Value* shortcut(Net& net, const ResnetSizes& s, Value* x, const Layer& l) {
  if (s.is_deep) return deep_shortcut(net, s, x, l);
  if (l.in == l.out && l.stride == 1) return x;
  return convolve_and_normalize(net, "shortcut", x, keeping_size(l.in, l.out, 1, l.stride));
}

Value* residual_layer(Net& net, const ResnetSizes& s, Value* x, const Layer& l) {
  Value* inner = x;
  const std::vector<Convolution> steps = steps_of(s, l);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    inner = convolve_and_normalize(net, "layer." + std::to_string(i), inner, steps[i]);
    // hidden_act is that of the sum and of the stem alone.
    if (i + 1 < steps.size()) inner = net.activation("relu", inner);
  }
  return net.activation(s.act, net.add(inner, shortcut(net, s, x, l)));
}

Value* stem(Net& net, const ResnetSizes& s, Value* x) {
  const Net::Scope scope = net.enter("embedder.embedder");
  const auto step = [&](std::string_view module, const Convolution& conv) {
    x = net.activation(s.act, convolve_and_normalize(net, module, x, conv));
  };
  if (s.is_deep) {
    step("0", keeping_size(s.channels, s.stem / 2, 3, 2));
    step("1", keeping_size(s.stem / 2, s.stem / 2, 3));
    step("2", keeping_size(s.stem / 2, s.stem, 3));
  } else {
    step("", keeping_size(s.channels, s.stem, 7, 2));
  }
  return net.max_pool(x, {3, 3}, {2, 2}, {1, 1});
}

}  // namespace

ResnetSizes read_resnet(const Config& config) {
  return {.channels = config.size("num_channels", 3),
          .stem = config.size("embedding_size", 64),
          .stages = read_stages(config, {256, 512, 1024, 2048}, {3, 4, 6, 3}),
          .is_bottleneck =
              config.one_of("layer_type", {"basic", "bottleneck"}, "bottleneck") == "bottleneck",
          .downsamples_first_stage = config.flag("downsample_in_first_stage", false),
          .downsamples_in_bottleneck = config.flag("downsample_in_bottleneck", false),
          .is_deep = config.word("model_type", "resnet") == "rt_detr_resnet",
          .act = config.word("hidden_act", "relu")};
}

std::vector<Value*> write_resnet(Net& net, const ResnetSizes& s, Value* pixels) {
  std::vector<Value*> outputs = {stem(net, s, pixels)};
  std::int64_t width = s.stem;
  for (std::size_t i = 0; i < s.stages.widths.size(); ++i) {
    const Net::Scope stage = net.enter("encoder.stages", static_cast<std::int64_t>(i));
    Value* x = outputs.back();
    for (std::int64_t j = 0; j < s.stages.depths[i]; ++j) {
      const Net::Scope scope = net.enter("layers", j);
      const bool downsamples = j == 0 && (i > 0 || s.downsamples_first_stage);
      x = residual_layer(net, s, x, {width, s.stages.widths[i], downsamples ? 2 : 1, j == 0});
      width = s.stages.widths[i];
    }
    outputs.push_back(x);
  }
  return outputs;
}

}  // namespace hone
