// ConvNeXt: pictures in patches, then stages of 7x7 convolutions for each channel, each followed by
// a network over the channels. The second version weighs those by what the whole picture has.

#include "checkpoint/convnet.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

struct Sizes {
  std::int64_t channels;
  std::vector<std::int64_t> patch;
  Stages stages;
  double epsilon;  // of the last norm; all others have 1e-6
  std::string act;
  bool is_second, scales_layers;
};

Sizes read_sizes(const Config& config) {
  Sizes s{.channels = config.size("num_channels", 3),
          .patch = config.pair("patch_size", 4),
          .stages = read_stages(config, {96, 192, 384, 768}, {3, 3, 9, 3}),
          .epsilon = config.real("layer_norm_eps", 1e-12),
          .act = config.word("hidden_act", "gelu"),
          .is_second = config.word("model_type", "convnext") == "convnextv2",
          .scales_layers = false};
  if (!s.is_second) s.scales_layers = config.real("layer_scale_init_value", 1e-6) > 0;
  if (config.whole("num_stages", 4) != static_cast<std::int64_t>(s.stages.depths.size())) {
    config.refuse("num_stages", "there have to be as many as depths");
  }
  return s;
}

// Of channels, where they are the second axis.
Value* norm_channels(Net& net, std::string_view module, Value* x, std::int64_t width) {
  Value* normal = net.layer_norm(module, net.transpose(x, {0, 2, 3, 1}), width, 1e-6);
  return net.transpose(normal, {0, 3, 1, 2});
}

// x [batch, height, width, channels]: each channel by its length over the picture, compared to
// that of the others.
Value* respond_globally(Net& net, Value* x, std::int64_t width) {
  const Net::Scope scope = net.enter("grn");
  Value* lengths = net.op("Sqrt", {net.sum(net.mul(x, x), {1, 2})});
  Value* share = net.div(lengths, net.add(net.mean(lengths, {-1}), 1e-6));
  Value* weighed = net.mul(net.weight("weight", {1, 1, 1, width}), net.mul(x, share));
  return net.add(net.add(weighed, net.weight("bias", {1, 1, 1, width})), x);
}

Value* layer(Net& net, const Sizes& s, Value* x, std::int64_t width) {
  Value* inner = net.convolution(
      "dwconv", x,
      {.in = width, .out = width, .kernel = {7, 7}, .padding = {3, 3}, .groups = width});
  inner = net.layer_norm("layernorm", net.transpose(inner, {0, 2, 3, 1}), width, 1e-6);
  inner = net.activation(s.act, net.linear("pwconv1", inner, width, 4 * width));
  if (s.is_second) inner = respond_globally(net, inner, 4 * width);
  inner = net.linear("pwconv2", inner, 4 * width, width);
  if (s.scales_layers) inner = net.mul(net.weight("layer_scale_parameter", {width}), inner);
  return net.add(x, net.transpose(inner, {0, 3, 1, 2}));
}

Value* downsample(Net& net, Value* x, std::int64_t in, std::int64_t out) {
  const Net::Scope scope = net.enter("downsampling_layer");
  return net.convolution("1", norm_channels(net, "0", x, in),
                         {.in = in, .out = out, .kernel = {2, 2}, .stride = {2, 2}});
}

Value* encode(Net& net, const Sizes& s, Value* x) {
  std::int64_t width = s.stages.widths.front();
  {
    const Net::Scope scope = net.enter("embeddings");
    x = net.convolution("patch_embeddings", x,
                        {.in = s.channels, .out = width, .kernel = s.patch, .stride = s.patch});
    x = norm_channels(net, "layernorm", x, width);
  }
  for (std::size_t i = 0; i < s.stages.widths.size(); ++i) {
    const Net::Scope stage = net.enter("encoder.stages", static_cast<std::int64_t>(i));
    if (i > 0) x = downsample(net, x, width, s.stages.widths[i]);
    width = s.stages.widths[i];
    for (std::int64_t j = 0; j < s.stages.depths[i]; ++j) {
      const Net::Scope scope = net.enter("layers", j);
      x = layer(net, s, x, width);
    }
  }
  return x;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  const std::int64_t width = s.stages.widths.back();
  Value* pixels = image_input(net, s.channels, "height", "width");
  Value* x = nullptr;
  Value* pooled = nullptr;
  {
    const Net::Scope base = net.enter_base(s.is_second ? "convnextv2" : "convnext");
    x = encode(net, s, pixels);
    pooled = net.layer_norm("layernorm", net.mean(x, {2, 3}, false), width, s.epsilon);
  }
  write_picture(net, config, wanted.task, x, pooled, width);
}

}  // namespace

Family convnext() {
  return {.name = "convnext",
          .model_types = {"convnext", "convnextv2"},
          .tasks = {"feature-extraction", "image-classification"},
          .write = write};
}

}  // namespace hone::families
