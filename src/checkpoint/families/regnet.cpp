// RegNet: a ResNet whose middle convolutions are in groups, with (y) or without (x) weighing the
// channels by what the whole picture has.

#include <algorithm>

#include "checkpoint/convnet.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

struct Sizes {
  std::int64_t channels, stem, group;
  Stages stages;
  bool squeezes, downsamples_first_stage;
  std::string act;
};

Sizes read_sizes(const Config& config) {
  return {.channels = config.size("num_channels", 3),
          .stem = config.size("embedding_size", 32),
          .group = config.size("groups_width", 64),
          .stages = read_stages(config, {128, 192, 512, 1088}, {2, 6, 12, 2}),
          .squeezes = config.one_of("layer_type", {"x", "y"}, "y") == "y",
          .downsamples_first_stage = config.flag("downsample_in_first_stage", true),
          .act = config.word("hidden_act", "relu")};
}

Value* residual_layer(Net& net, const Sizes& s, Value* x, std::int64_t in, std::int64_t out,
                      std::int64_t stride) {
  Value* inner = convolve_and_normalize(net, "layer.0", x, keeping_size(in, out, 1));
  Convolution grouped = keeping_size(out, out, 3, stride);
  grouped.groups = std::max<std::int64_t>(1, out / s.group);
  inner = convolve_and_normalize(net, "layer.1", net.activation(s.act, inner), grouped);
  inner = net.activation(s.act, inner);
  if (s.squeezes) {
    const Net::Scope scope = net.enter("layer.2");
    inner = squeeze_and_excite(net, inner,
                               {.channels = out,
                                .inner = round_half_even(static_cast<double>(in) / 4),
                                .reduce = "attention.0",
                                .expand = "attention.2",
                                .act = "relu"});
  }
  inner = convolve_and_normalize(net, s.squeezes ? "layer.3" : "layer.2", inner,
                                 keeping_size(out, out, 1));
  if (in != out || stride != 1) {
    x = convolve_and_normalize(net, "shortcut", x, keeping_size(in, out, 1, stride));
  }
  return net.activation(s.act, net.add(inner, x));
}

Value* encode(Net& net, const Sizes& s, Value* x) {
  x = convolve_and_normalize(net, "embedder.embedder", x, keeping_size(s.channels, s.stem, 3, 2));
  x = net.activation(s.act, x);
  std::int64_t width = s.stem;
  for (std::size_t i = 0; i < s.stages.widths.size(); ++i) {
    const Net::Scope stage = net.enter("encoder.stages", static_cast<std::int64_t>(i));
    for (std::int64_t j = 0; j < s.stages.depths[i]; ++j) {
      const Net::Scope scope = net.enter("layers", j);
      const bool downsamples = j == 0 && (i > 0 || s.downsamples_first_stage);
      x = residual_layer(net, s, x, width, s.stages.widths[i], downsamples ? 2 : 1);
      width = s.stages.widths[i];
    }
  }
  return x;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  Value* x = image_input(net, s.channels, "height", "width");
  {
    const Net::Scope base = net.enter_base("regnet");
    x = encode(net, s, x);
  }
  write_pooled_picture(net, config, wanted.task, x, s.stages.widths.back());
}

}  // namespace

Family regnet() {
  return {.name = "regnet",
          .model_types = {"regnet"},
          .tasks = {"feature-extraction", "image-classification"},
          .write = write};
}

}  // namespace hone::families
