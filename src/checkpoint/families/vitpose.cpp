// ViTPose: maps of where each joint is, from a ViT. Of those with several experts each picture's
// dataset says which one looks at it.

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/stages.h"
#include "checkpoint/vit.h"

namespace hone::families {
namespace {

struct Sizes {
  VitSizes vit;
  std::int64_t experts = 1, expert_width = 1;
  std::int64_t rows() const { return vit.image[0] / vit.patch[0]; }
  std::int64_t columns() const { return vit.image[1] / vit.patch[1]; }
};

// At each side of the picture.
constexpr std::int64_t padding = 2;

Sizes read_sizes(const Config& config) {
  const auto pair_or = [&](std::string_view key, std::vector<std::int64_t> otherwise) {
    return config.has(key) ? config.pair(key) : otherwise;
  };
  Sizes sizes{.vit = {.width = config.size("hidden_size", 768),
                      .heads = config.size("num_attention_heads", 12),
                      .layers = config.layers("num_hidden_layers", 12),
                      .channels = config.size("num_channels", 3),
                      .image = pair_or("image_size", {256, 192}),
                      .patch = pair_or("patch_size", {16, 16}),
                      .epsilon = config.real("layer_norm_eps", 1e-12),
                      .act = config.word("hidden_act", "gelu"),
                      .qkv_bias = config.flag("qkv_bias", true)},
              .experts = config.layers("num_experts", 1),
              .expert_width = config.size("part_features", 256)};
  VitSizes& s = sizes.vit;
  s.head_size = config.divided("hidden_size", s.width, "num_attention_heads", s.heads);
  s.inner = scaled_size(config, "mlp_ratio", 4, s.width);
  for (const std::size_t side : {0U, 1U}) {
    const std::int64_t seen = (s.image[side] + 2 * padding - s.patch[side]) / s.patch[side] + 1;
    if (seen != s.image[side] / s.patch[side]) {
      config.refuse("patch_size", "with two pixels of padding it does not give the same patches");
    }
  }
  return sizes;
}

Value* embed(Net& net, const VitSizes& s, Value* pixels) {
  const Net::Scope scope = net.enter("embeddings");
  Value* x = embed_patches(net, s, pixels, padding);
  Value* places = net.weight("position_embeddings", {1, 1 + patch_count(s), s.width});
  return net.add(net.add(x, net.slice(places, 1, 1, Net::to_end)), net.slice(places, 1, 0, 1));
}

// What they share, and beside it what the expert of the picture's dataset adds.
Value* mix_experts(Net& net, const Sizes& sizes, Value* x, Value* dataset) {
  const VitSizes& s = sizes.vit;
  const std::int64_t shared = s.width - sizes.expert_width;
  Value* inner = net.activation(s.act, net.linear("fc1", x, s.width, s.inner));
  Value* both = net.linear("fc2", inner, s.inner, shared);
  Value* sum = nullptr;
  for (std::int64_t i = 0; i < sizes.experts; ++i) {
    const Net::Scope scope = net.enter("experts");
    Value* is_asked = net.to_float(net.op("Equal", {dataset, net.whole(i)}));
    Value* said = net.mul(net.linear(std::to_string(i), inner, s.inner, sizes.expert_width),
                          net.unsqueeze(is_asked, {1, 2}));
    sum = sum ? net.add(sum, said) : said;
  }
  return net.concat({both, sum}, 2);
}

Value* layer(Net& net, const Sizes& sizes, Value* x, Value* dataset) {
  const VitSizes& s = sizes.vit;
  Value* seen = net.layer_norm("layernorm_before", x, s.width, s.epsilon);
  {
    const Net::Scope scope = net.enter("attention");
    seen = attend_patches(net, s, seen);
  }
  Value* inner = net.add_layer_norm("layernorm_after", seen, x, s.width, s.epsilon, &x);
  {
    const Net::Scope scope = net.enter("mlp");
    inner = dataset ? mix_experts(net, sizes, inner, dataset) : mlp_of_patches(net, s, inner);
  }
  return net.add(inner, x);
}

// The last stage that the backbone gives, as a map. Null where there is a problem.
Value* encode(Net& net, const Config& config, const Sizes& sizes, Value* pixels, Value* dataset) {
  const VitSizes& s = sizes.vit;
  const std::vector<std::int64_t> stages = feature_stages(config, s.layers);
  if (stages.empty()) {
    config.refuse("out_features", "there has to be one");
    return nullptr;
  }
  const Net::Scope scope = net.enter("backbone");
  Value* x = embed(net, s, pixels);
  Value* taken = x;
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Net::Scope inner = net.enter("encoder.layer", i);
    x = layer(net, sizes, x, dataset);
    if (i + 1 == stages.back()) taken = x;
  }
  taken = net.layer_norm("layernorm", taken, s.width, s.epsilon);
  return unflatten_patches(net, s.width, taken, net.wholes({sizes.rows(), sizes.columns()}));
}

Value* decode_simply(Net& net, const Sizes& sizes, Value* x, std::int64_t scale,
                     std::int64_t labels) {
  x = net.resize(net.op("Relu", {x}), net.wholes({sizes.rows() * scale, sizes.columns() * scale}),
                 Net::Interpolation::bilinear);
  return net.convolution(
      "conv", x, {.in = sizes.vit.width, .out = labels, .kernel = {3, 3}, .padding = {1, 1}});
}

Value* decode_classically(Net& net, std::int64_t width, Value* x, std::int64_t labels) {
  constexpr std::int64_t inner = 256;
  std::int64_t in = width;
  for (const std::string step : {"1", "2"}) {
    x = net.transposed_convolution("deconv" + step, x,
                                   {.in = in,
                                    .out = inner,
                                    .kernel = {4, 4},
                                    .stride = {2, 2},
                                    .padding = {1, 1},
                                    .bias = false});
    x = net.op("Relu", {net.batch_norm("batchnorm" + step, x, inner)});
    in = inner;
  }
  return net.convolution("conv", x, {.in = inner, .out = labels, .kernel = {1, 1}});
}

void write(Net& net, const Config& config, const WantedGraph&) {
  config.only("backbone", Json(), "backbones that have to be fetched are not written");
  const Config within = config.part("backbone_config");
  within.only("model_type", "vitpose_backbone", "other backbones are not written");
  const Sizes sizes = read_sizes(within);
  const VitSizes& s = sizes.vit;
  if (sizes.experts == 0) within.refuse("num_experts", "there has to be one");
  if (sizes.experts > 1 && sizes.expert_width >= s.width) {
    within.refuse("part_features", "it has to be below hidden_size");
  }
  Value* pixels = image_input(net, s.channels, s.image[0], s.image[1]);
  Value* dataset =
      sizes.experts > 1 ? net.input("dataset_index", ElementType::int64, {"batch_size"}) : nullptr;
  Value* x = encode(net, within, sizes, pixels, dataset);
  if (!x) return;
  const bool is_simple = config.flag("use_simple_decoder", true);
  const std::int64_t scale = is_simple ? config.size("scale_factor", 4) : 4;
  const std::int64_t labels = label_count(config);
  const Net::Scope scope = net.enter("head");
  Value* maps = is_simple ? decode_simply(net, sizes, x, scale, labels)
                          : decode_classically(net, s.width, x, labels);
  net.output("heatmaps", maps,
             {"batch_size", labels, sizes.rows() * scale, sizes.columns() * scale});
}

}  // namespace

Family vitpose() {
  return {.name = "vitpose",
          .model_types = {"vitpose"},
          .tasks = {"keypoint-detection"},
          .write = write};
}

}  // namespace hone::families
