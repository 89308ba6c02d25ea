#include "checkpoint/towers.h"

#include <algorithm>

#include "checkpoint/residual.h"

namespace hone {
namespace {

// Query, key and value.
std::vector<Value*> project(Net& net, const Tower& t, Value* x) {
  const std::int64_t w = t.width;
  if (t.fuses_qkv) return net.split(net.linear("qkv", x, w, 3 * w), {w, w, w}, 2);
  Value* query = net.linear("q_proj", x, w, w);
  Value* key = net.linear("k_proj", x, w, w);
  return {query, key, net.linear("v_proj", x, w, w)};
}

Value* attend(Net& net, const Tower& t, Value* x, Value* bias) {
  const Net::Scope scope = net.enter("self_attn");
  const std::vector<Value*> seen = project(net, t, x);
  Value* found = net.attention({.query = seen[0],
                                .key = seen[1],
                                .value = seen[2],
                                .heads = t.heads,
                                .head_size = t.head_size,
                                .bias = bias})
                     .output;
  return net.linear(t.fuses_qkv ? "projection" : "out_proj", found, t.width, t.width);
}

}  // namespace

Tower read_tower(const Config& config, const TowerDefaults& otherwise) {
  Tower t{.width = config.size("hidden_size", otherwise.width),
          .heads = config.size("num_attention_heads", otherwise.heads),
          .head_size = 1,
          .inner = config.size("intermediate_size", otherwise.inner),
          .layers = config.layers("num_hidden_layers", 12),
          .epsilon = config.real("layer_norm_eps", otherwise.epsilon),
          .act = config.word("hidden_act", otherwise.act)};
  t.head_size = config.divided("hidden_size", t.width, "num_attention_heads", t.heads);
  return t;
}

Value* tower_mlp(Net& net, const Tower& t, Value* x) {
  Value* inner = net.linear("fc1", x, t.width, t.inner);
  return net.linear("fc2", net.activation(t.act, inner), t.inner, t.width);
}

Value* climb(Net& net, const Tower& t, Value* x, Value* bias) {
  Residual stream(net, x, t.width, t.epsilon);
  for (std::int64_t i = 0; i < t.layers; ++i) {
    const Net::Scope layer = net.enter("encoder.layers", i);
    stream.add(attend(net, t, stream.norm("layer_norm1"), bias));
    Value* normal = stream.norm("layer_norm2");
    const Net::Scope mlp = net.enter("mlp");
    stream.add(tower_mlp(net, t, normal));
  }
  return stream.sum();
}

TextTower read_text_tower(const Config& config, const TowerDefaults& otherwise,
                          std::int64_t vocabulary, std::int64_t positions) {
  return {.tower = read_tower(config, otherwise),
          .vocabulary = config.size("vocab_size", vocabulary),
          .positions = config.size("max_position_embeddings", positions)};
}

Value* read_text(Net& net, const TextTower& text, Value* ids, Value* bias) {
  const std::int64_t width = text.tower.width;
  Value* x = nullptr;
  {
    const Net::Scope scope = net.enter("embeddings");
    net.ignore("position_ids");
    Value* places = net.count_up(net.size_of(ids, 1));
    x = net.add(net.embedding("token_embedding", ids, text.vocabulary, width),
                net.embedding("position_embedding", places, text.positions, width));
  }
  x = climb(net, text.tower, x, bias);
  return net.layer_norm("final_layer_norm", x, width, text.tower.epsilon);
}

Value* looking_back(Net& net, Value* ids, Value* mask) {
  return net.join_biases(net.causal_bias(net.size_of(ids, 1), nullptr),
                         mask ? net.padding_bias(mask) : nullptr);
}

Value* word_at(Net& net, Value* x, Value* place) {
  return net.op("GatherND", {x, place}, {{"batch_dims", 1}});
}

Value* place_of_highest(Net& net, Value* ids) {
  return net.op("ArgMax", {net.cast(ids, ElementType::int32)}, {{"axis", -1}, {"keepdims", 1}});
}

PictureTower read_picture_tower(const Config& config, const TowerDefaults& otherwise,
                                std::int64_t image, std::int64_t patch, bool has_class) {
  PictureTower p{.tower = read_tower(config, otherwise),
                 .channels = config.size("num_channels", 3),
                 .image = config.size("image_size", image),
                 .patch = config.size("patch_size", patch),
                 .has_class = has_class,
                 .has_patch_bias = !has_class};
  if (p.patch > p.image) config.refuse("patch_size", "it is larger than the picture");
  p.patches = std::max<std::int64_t>(1, p.image / p.patch);
  return p;
}

Value* picture_input(Net& net, const PictureTower& p, const char* batch) {
  return net.float_input("pixel_values", {batch, p.channels, p.image, p.image});
}

Value* embed_patches(Net& net, const PictureTower& p, Value* pixels) {
  const std::int64_t width = p.tower.width;
  const Net::Scope scope = net.enter("embeddings");
  net.ignore("position_ids");
  Value* x = net.convolution("patch_embedding", pixels,
                             {.in = p.channels,
                              .out = width,
                              .kernel = {p.patch, p.patch},
                              .stride = {p.patch, p.patch},
                              .bias = p.has_patch_bias});
  x = net.transpose(net.reshape(x, {0, width, -1}), {0, 2, 1});
  if (p.has_class) {
    Value* token = net.reshape(net.weight("class_embedding", {width}), {1, 1, width});
    x = net.concat({net.expand(token, net.dims({net.size_of(x, 0), 1, 1})), x}, 1);
  }
  const std::int64_t places = p.patches * p.patches + (p.has_class ? 1 : 0);
  return net.add(x, net.weight("position_embedding.weight", {places, width}));
}

void write_likeness(Net& net, const Likeness& l) {
  Value* factor = net.op("Exp", {l.scale});
  Value* per_text = net.mul(net.times_transposed(l.texts, l.pictures), factor);
  if (l.bias) per_text = net.add(per_text, l.bias);
  net.output("logits_per_image", net.transpose(per_text, {1, 0}),
             {"image_batch_size", "text_batch_size"});
  net.output("logits_per_text", per_text, {"text_batch_size", "image_batch_size"});
  net.output("text_embeds", l.texts, {"text_batch_size", l.width});
  net.output("image_embeds", l.pictures, {"image_batch_size", l.width});
}

std::vector<std::string_view> tower_tasks() {
  return {"feature-extraction", "zero-shot-image-classification", "image-classification"};
}

void write_towers(Net& net, const Config& config, const WantedGraph& wanted,
                  const TowerGraphs& graphs) {
  const std::string type = config.word("model_type");
  const bool is_text = type.ends_with("_text_model");
  const bool is_alone = is_text || type.ends_with("_vision_model");
  if (is_alone && wanted.task != "feature-extraction") {
    config.refuse("model_type", "a tower alone is written for feature-extraction");
  } else if (is_alone) {
    (is_text ? graphs.text : graphs.picture)(net, config);
  } else if (wanted.task == "image-classification") {
    graphs.classes(net, config);
  } else {
    graphs.both(net, config);
  }
}

}  // namespace hone
