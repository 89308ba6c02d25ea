// ResNet: a stem, stages of residual layers, and the mean of what is left of the picture.

#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

struct Sizes {
  std::int64_t channels, stem;
  std::vector<std::int64_t> widths, depths;
  bool is_bottleneck, downsamples_first_stage, downsamples_in_bottleneck;
  std::string act;
};

Sizes read_sizes(const Config& config) {
  Sizes s{.channels = config.size("num_channels", 3),
          .stem = config.size("embedding_size", 64),
          .widths = config.wholes("hidden_sizes", {256, 512, 1024, 2048}),
          .depths = config.wholes("depths", {3, 4, 6, 3}),
          .is_bottleneck =
              config.one_of("layer_type", {"basic", "bottleneck"}, "bottleneck") == "bottleneck",
          .downsamples_first_stage = config.flag("downsample_in_first_stage", false),
          .downsamples_in_bottleneck = config.flag("downsample_in_bottleneck", false),
          .act = config.word("hidden_act", "relu")};
  if (s.widths.size() != s.depths.size() || s.widths.empty()) {
    config.refuse("depths", "there have to be as many as hidden_sizes");
    s.widths = s.depths = {};
  }
  return s;
}

// A convolution and its normalization, without the activation.
Value* convolve(Net& net, Value* x, std::int64_t in, std::int64_t out, std::int64_t kernel,
                std::int64_t stride) {
  x = net.convolution("convolution", x,
                      {.in = in,
                       .out = out,
                       .kernel = {kernel, kernel},
                       .stride = {stride, stride},
                       .padding = {kernel / 2, kernel / 2},
                       .bias = false});
  return net.batch_norm("normalization", x, out);
}

struct Step {
  std::int64_t in, out, kernel, stride;
};

std::vector<Step> steps_of(const Sizes& s, std::int64_t in, std::int64_t out, std::int64_t stride,
                           bool is_first) {
  if (!s.is_bottleneck) return {{in, out, 3, stride}, {out, out, 3, 1}};
  const std::int64_t inner = out / 4;
  const bool at_once = is_first && s.downsamples_in_bottleneck;
  return {{in, inner, 1, at_once ? stride : 1},
          {inner, inner, 3, at_once ? 1 : stride},
          {inner, out, 1, 1}};
}

Value* residual_layer(Net& net, const Sizes& s, Value* x, const Step& whole, bool is_first) {
  const std::vector<Step> steps = steps_of(s, whole.in, whole.out, whole.stride, is_first);
  Value* inner = x;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Net::Scope scope = net.enter("layer", static_cast<std::int64_t>(i));
    inner = convolve(net, inner, steps[i].in, steps[i].out, steps[i].kernel, steps[i].stride);
    if (i + 1 < steps.size()) inner = net.activation(s.act, inner);
  }
  if (whole.in != whole.out || whole.stride != 1) {
    const Net::Scope scope = net.enter("shortcut");
    x = convolve(net, x, whole.in, whole.out, 1, whole.stride);
  }
  return net.activation(s.act, net.add(inner, x));
}

Value* stage(Net& net, const Sizes& s, Value* x, const Step& whole, std::int64_t depth) {
  for (std::int64_t i = 0; i < depth; ++i) {
    const Net::Scope scope = net.enter("layers", i);
    const Step step = i == 0 ? whole : Step{whole.out, whole.out, 3, 1};
    x = residual_layer(net, s, x, step, i == 0);
  }
  return x;
}

Value* encode(Net& net, const Sizes& s, Value* x) {
  {
    const Net::Scope scope = net.enter("embedder.embedder");
    x = net.activation(s.act, convolve(net, x, s.channels, s.stem, 7, 2));
    x = net.max_pool(x, {3, 3}, {2, 2}, {1, 1});
  }
  std::int64_t in = s.stem;
  for (std::size_t i = 0; i < s.widths.size(); ++i) {
    const Net::Scope scope = net.enter("encoder.stages", static_cast<std::int64_t>(i));
    const std::int64_t stride = i > 0 || s.downsamples_first_stage ? 2 : 1;
    x = stage(net, s, x, {in, s.widths[i], 3, stride}, s.depths[i]);
    in = s.widths[i];
  }
  return x;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  const std::int64_t width = s.widths.empty() ? 1 : s.widths.back();
  Value* pixels = image_input(net, s.channels, "height", "width");
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base("resnet");
    x = encode(net, s, pixels);
  }
  Value* pooled = net.op("GlobalAveragePool", {x});
  if (wanted.task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", width, "feature_height", "feature_width"});
    net.output("pooler_output", pooled, {"batch_size", width, 1, 1});
    return;
  }
  const std::int64_t labels = label_count(config);
  Value* flat = net.op("Flatten", {pooled});
  net.output("logits", net.linear("classifier.1", flat, width, labels), {"batch_size", labels});
}

}  // namespace

Family resnet() {
  return {.name = "resnet",
          .model_types = {"resnet"},
          .tasks = {"feature-extraction", "image-classification"},
          .write = write};
}

}  // namespace hone::families
