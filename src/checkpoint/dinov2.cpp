#include "checkpoint/dinov2.h"

#include "checkpoint/stages.h"

namespace hone {
namespace {

Value* embed(Net& net, const Dinov2Sizes& d, Value* pixels) {
  const Net::Scope scope = net.enter("embeddings");
  net.ignore("mask_token");
  Value* patches = embed_patches(net, d.vit, pixels);
  Value* tokens = net.concat({special_token(net, d.vit, "cls_token", patches), patches}, 1);
  return net.add(tokens, resized_positions(net, d.vit, d.side, patch_grid(net, d.vit, pixels),
                                           Net::Interpolation::bicubic));
}

Value* scale(Net& net, std::string_view module, Value* x, std::int64_t width) {
  const Net::Scope scope = net.enter(module);
  return net.mul(x, net.weight("lambda1", {width}));
}

Value* gated_mlp(Net& net, const VitSizes& s, Value* x) {
  const std::int64_t inner = (s.inner * 2 / 3 + 7) / 8 * 8;
  const std::vector<Value*> halves =
      net.split(net.linear("weights_in", x, s.width, 2 * inner), {inner, inner}, -1);
  Value* hidden = net.mul(net.activation("silu", halves[0]), halves[1]);
  return net.linear("weights_out", hidden, inner, s.width);
}

Value* layer(Net& net, const Dinov2Sizes& d, Value* x) {
  const VitSizes& s = d.vit;
  Value* seen = net.layer_norm("norm1", x, s.width, s.epsilon);
  {
    const Net::Scope scope = net.enter("attention");
    seen = attend_patches(net, s, seen);
  }
  seen = scale(net, "layer_scale1", seen, s.width);
  Value* inner = net.add_layer_norm("norm2", seen, x, s.width, s.epsilon, &x);
  {
    const Net::Scope scope = net.enter("mlp");
    inner = d.is_gated ? gated_mlp(net, s, inner) : mlp_of_patches(net, s, inner);
  }
  return net.add(scale(net, "layer_scale2", inner, s.width), x);
}

}  // namespace

Dinov2Sizes read_dinov2_sizes(const Config& config) {
  Dinov2Sizes d{.vit = {.width = config.size("hidden_size", 768),
                        .heads = config.size("num_attention_heads", 12),
                        .layers = config.layers("num_hidden_layers", 12),
                        .channels = config.size("num_channels", 3),
                        .image = config.pair("image_size", 224),
                        .patch = config.pair("patch_size", 14),
                        .epsilon = config.real("layer_norm_eps", 1e-6),
                        .act = config.word("hidden_act", "gelu"),
                        .qkv_bias = config.flag("qkv_bias", true)},
                .is_gated = config.flag("use_swiglu_ffn", false)};
  VitSizes& s = d.vit;
  s.head_size = config.divided("hidden_size", s.width, "num_attention_heads", s.heads);
  s.inner = scaled_size(config, "mlp_ratio", 4, s.width);
  if (s.patch[0] != s.patch[1]) config.refuse("patch_size", "only square patches are written");
  d.side = side_of_square(config, patch_count(s));
  return d;
}

Value* encode_dinov2(Net& net, const Dinov2Sizes& d, Value* pixels, std::vector<Value*>* each) {
  Value* x = embed(net, d, pixels);
  if (each) each->push_back(x);
  for (std::int64_t i = 0; i < d.vit.layers; ++i) {
    const Net::Scope scope = net.enter("encoder.layer", i);
    x = layer(net, d, x);
    if (each) each->push_back(x);
  }
  return net.layer_norm("layernorm", x, d.vit.width, d.vit.epsilon);
}

std::vector<Value*> dinov2_features(Net& net, const Config& config, const Dinov2Sizes& d,
                                    Value* pixels) {
  if (config.flag("reshape_hidden_states", true)) {
    config.refuse("reshape_hidden_states", "what uses it takes tokens, not maps");
  }
  const bool are_normalized = config.flag("apply_layernorm", true);
  std::vector<Value*> each;
  encode_dinov2(net, d, pixels, &each);
  std::vector<Value*> features;
  for (const std::int64_t stage : feature_stages(config, d.vit.layers)) {
    Value* x = each[static_cast<std::size_t>(stage)];
    if (are_normalized) x = net.layer_norm("layernorm", x, d.vit.width, d.vit.epsilon);
    features.push_back(x);
  }
  return features;
}

}  // namespace hone
