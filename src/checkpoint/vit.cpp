#include "checkpoint/vit.h"

namespace hone {

VitSizes read_vit_sizes(const Config& config, std::int64_t image) {
  VitSizes s{.width = config.size("hidden_size", 768),
             .heads = config.size("num_attention_heads", 12),
             .inner = config.size("intermediate_size", 3072),
             .layers = config.layers("num_hidden_layers", 12),
             .channels = config.size("num_channels", 3),
             .image = config.pair("image_size", image),
             .patch = config.pair("patch_size", 16),
             .epsilon = config.real("layer_norm_eps", 1e-12),
             .act = config.word("hidden_act", "gelu"),
             .qkv_bias = config.flag("qkv_bias", true)};
  s.head_size = config.has("head_dim")
                    ? config.size("head_dim")
                    : config.divided("hidden_size", s.width, "num_attention_heads", s.heads);
  s.pooled =
      config.whole("pooler_output_size", 0) == 0 ? s.width : config.size("pooler_output_size");
  return s;
}

std::int64_t patch_count(const VitSizes& s) {
  return (s.image[0] / s.patch[0]) * (s.image[1] / s.patch[1]);
}

Value* patch_grid(Net& net, const VitSizes& s, Value* pixels) {
  return net.op("Div", {net.op("Shape", {pixels}, {{"start", 2}}), net.wholes(s.patch)});
}

Value* embed_patches(Net& net, const VitSizes& s, Value* pixels, std::int64_t padding) {
  const Net::Scope scope = net.enter("patch_embeddings");
  Value* map = net.convolution("projection", pixels,
                               {.in = s.channels,
                                .out = s.width,
                                .kernel = s.patch,
                                .stride = s.patch,
                                .padding = {padding, padding}});
  return net.transpose(net.reshape(map, {0, s.width, -1}), {0, 2, 1});
}

Value* unflatten_patches(Net& net, std::int64_t width, Value* x, Value* grid) {
  return net.reshape(net.transpose(x, {0, 2, 1}), net.dims({0, width, grid}));
}

Value* special_token(Net& net, const VitSizes& s, std::string_view name, Value* x) {
  return net.expand(net.weight(name, {1, 1, s.width}), net.dims({net.size_of(x, 0), 1, s.width}));
}

Value* resized_positions(Net& net, const VitSizes& s, std::int64_t side, Value* grid,
                         Net::Interpolation how) {
  Value* all = net.weight("position_embeddings", {1, 1 + side * side, s.width});
  Value* places = net.reshape(net.slice(all, 1, 1, Net::to_end), {1, side, side, s.width});
  places = net.resize(net.transpose(places, {0, 3, 1, 2}), grid, how);
  places = net.transpose(net.reshape(places, {1, s.width, -1}), {0, 2, 1});
  return net.concat({net.slice(all, 1, 0, 1), places}, 1);
}

Value* attend_patches(Net& net, const VitSizes& s, Value* x) {
  const std::int64_t all = s.heads * s.head_size;
  Value* seen = nullptr;
  {
    const Net::Scope scope = net.enter("attention");
    seen = net.attention({.query = net.linear("query", x, s.width, all, s.qkv_bias),
                          .key = net.linear("key", x, s.width, all, s.qkv_bias),
                          .value = net.linear("value", x, s.width, all, s.qkv_bias),
                          .heads = s.heads,
                          .head_size = s.head_size})
               .output;
  }
  return net.linear("output.dense", seen, all, s.width);
}

Value* mlp_of_patches(Net& net, const VitSizes& s, Value* x) {
  Value* inner = net.activation(s.act, net.linear("fc1", x, s.width, s.inner));
  return net.linear("fc2", inner, s.inner, s.width);
}

namespace {

Value* embed(Net& net, const VitSizes& s, Value* pixels, VitTokens tokens) {
  const Net::Scope scope = net.enter("embeddings");
  net.ignore("mask_token");
  Value* patches = embed_patches(net, s, pixels);
  std::vector<Value*> parts = {special_token(net, s, "cls_token", patches)};
  if (tokens == VitTokens::two) {
    parts.push_back(special_token(net, s, "distillation_token", patches));
  }
  const std::int64_t count = patch_count(s) + static_cast<std::int64_t>(parts.size());
  parts.push_back(patches);
  return net.add(net.concat(parts, 1), net.weight("position_embeddings", {1, count, s.width}));
}

Value* layer(Net& net, const VitSizes& s, Value* x) {
  Value* seen = net.layer_norm("layernorm_before", x, s.width, s.epsilon);
  {
    const Net::Scope scope = net.enter("attention");
    seen = attend_patches(net, s, seen);
  }
  Value* inner = net.add_layer_norm("layernorm_after", seen, x, s.width, s.epsilon, &x);
  inner = net.activation(s.act, net.linear("intermediate.dense", inner, s.width, s.inner));
  return net.add(net.linear("output.dense", inner, s.inner, s.width), x);
}

}  // namespace

Value* vit_layers(Net& net, const VitSizes& s, Value* x, std::vector<Value*>* each) {
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Net::Scope scope = net.enter("encoder.layer", i);
    x = layer(net, s, x);
    if (each) each->push_back(x);
  }
  return net.layer_norm("layernorm", x, s.width, s.epsilon);
}

Value* encode_vit(Net& net, const VitSizes& s, Value* pixels, VitTokens tokens) {
  return vit_layers(net, s, embed(net, s, pixels, tokens));
}

Value* pool_vit(Net& net, const Config& config, const VitSizes& s, Value* x) {
  if (!net.has_module("pooler")) return nullptr;
  const Net::Scope scope = net.enter("pooler");
  return net.activation(config.word("pooler_act", "tanh"),
                        net.linear("dense", net.pick(x, 1, 0), s.width, s.pooled), "pooler_act");
}

void write_reconstruction(Net& net, const Config& config, Value* map, std::int64_t width,
                          std::int64_t side, std::int64_t channels, std::int64_t stride) {
  constexpr std::int64_t largest_stride = 1'024;
  if (stride > largest_stride) config.refuse("encoder_stride", "at most 1,024 is written");
  if (net.problems().any()) return;
  Value* pixels = net.convolution(
      "decoder.0", map, {.in = width, .out = stride * stride * channels, .kernel = {1, 1}});
  pixels = net.op("DepthToSpace", {pixels}, {{"blocksize", stride}, {"mode", "CRD"}});
  net.output("reconstruction", pixels, {"batch_size", channels, side * stride, side * stride});
}

}  // namespace hone
