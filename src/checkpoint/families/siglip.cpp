// SigLIP: a tower of words that all see each other, one of patches whose head asks them a question
// it has learnt, and how alike what they make is. Each of them alone, too.

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/towers.h"

namespace hone::families {
namespace {

constexpr TowerDefaults otherwise = {768, 3072, 12, 1e-6, "gelu_pytorch_tanh"};

struct Text {
  TextTower tower;
  std::int64_t out;
};

struct Picture {
  PictureTower tower;
  bool has_head;
};

Text read_text_sizes(const Config& config) {
  const TextTower tower = read_text_tower(config, otherwise, 32000, 64);
  return {.tower = tower, .out = config.nullable().size("projection_size", tower.tower.width)};
}

Picture read_picture_sizes(const Config& config) {
  return {.tower = read_picture_tower(config, otherwise, 224, 16, false),
          .has_head = config.flag("vision_use_head", true)};
}

struct Seen {
  Value* all = nullptr;
  Value* pooled = nullptr;  // null where there is no head
};

// The last word stands for all of them, even where it fills up a batch.
Seen see_text(Net& net, const Text& text, Value* ids) {
  const Net::Scope scope = net.enter_base("text_model");
  Value* x = read_text(net, text.tower, ids, nullptr);
  return {x, net.linear("head", net.pick(x, 1, -1), text.tower.tower.width, text.out)};
}

struct Rows {
  Value* weight;
  Value* bias;
};

// Of the one weight that torch's attention has for query, key and value.
Value* project(Net& net, const Rows& rows, Value* x) {
  return net.add(net.times_transposed(x, rows.weight), rows.bias);
}

// What the learnt question finds in the patches, [batch, 1, width].
Value* ask(Net& net, const Tower& t, Value* x) {
  const std::int64_t w = t.width;
  Value* probe = net.weight("probe", {1, 1, w});
  const Net::Scope scope = net.enter("attention");
  const auto weights = net.split(net.weight("in_proj_weight", {3 * w, w}), {w, w, w}, 0);
  const auto biases = net.split(net.weight("in_proj_bias", {3 * w}), {w, w, w}, 0);
  Value* question = project(net, {weights[0], biases[0]}, probe);
  Value* found = net.attention({.query = net.expand(question, net.dims({net.size_of(x, 0), 1, 1})),
                                .key = project(net, {weights[1], biases[1]}, x),
                                .value = project(net, {weights[2], biases[2]}, x),
                                .heads = t.heads,
                                .head_size = t.head_size})
                     .output;
  return net.linear("out_proj", found, w, w);
}

Value* pool(Net& net, const Tower& t, Value* x) {
  const Net::Scope scope = net.enter("head");
  Value* found = ask(net, t, x);
  Value* normal = net.layer_norm("layernorm", found, t.width, t.epsilon);
  const Net::Scope mlp = net.enter("mlp");
  return net.pick(net.add(tower_mlp(net, t, normal), found), 1, 0);
}

Value* climb_picture(Net& net, const PictureTower& p, Value* pixels) {
  Value* x = climb(net, p.tower, embed_patches(net, p, pixels), nullptr);
  return net.layer_norm("post_layernorm", x, p.tower.width, p.tower.epsilon);
}

Seen see_picture(Net& net, const Picture& p, Value* pixels) {
  const Net::Scope scope = net.enter_base("vision_model");
  Value* x = climb_picture(net, p.tower, pixels);
  return {x, p.has_head ? pool(net, p.tower.tower, x) : nullptr};
}

void write_both(Net& net, const Config& config) {
  const Text text = read_text_sizes(config.part("text_config"));
  const Config vision = config.part("vision_config");
  const Picture picture = read_picture_sizes(vision);
  if (!picture.has_head) vision.refuse("vision_use_head", "pictures have no embedding without it");
  const std::int64_t width = picture.tower.tower.width;
  if (text.out != width) {
    config.part("text_config").refuse("projection_size", "it has to be as wide as the pictures'");
  }
  Value* ids = net.input("input_ids", ElementType::int64, {"text_batch_size", "sequence_length"});
  Value* pixels = picture_input(net, picture.tower, "image_batch_size");
  if (net.problems().any()) return;
  const Net::Scope base = net.enter_base("siglip");
  write_likeness(net, {.texts = net.l2_normalize(see_text(net, text, ids).pooled),
                       .pictures = net.l2_normalize(see_picture(net, picture, pixels).pooled),
                       .scale = net.weight("logit_scale", {1}),
                       .bias = net.weight("logit_bias", {1}),
                       .width = width});
}

void write_text(Net& net, const Config& config) {
  const Text text = read_text_sizes(config);
  const Seen seen = see_text(net, text, token_input(net, "input_ids"));
  net.output("last_hidden_state", seen.all,
             {"batch_size", "sequence_length", text.tower.tower.width});
  net.output("pooler_output", seen.pooled, {"batch_size", text.out});
}

void write_picture(Net& net, const Config& config) {
  const Picture picture = read_picture_sizes(config);
  const PictureTower& p = picture.tower;
  const Seen seen = see_picture(net, picture, picture_input(net, p, "batch_size"));
  net.output("last_hidden_state", seen.all, {"batch_size", p.patches * p.patches, p.tower.width});
  if (seen.pooled) net.output("pooler_output", seen.pooled, {"batch_size", p.tower.width});
}

// The head of a tower that is there and of no use.
void ignore_head(Net& net) {
  const Net::Scope scope = net.enter("head");
  for (const char* name :
       {"probe", "attention.in_proj_weight", "attention.in_proj_bias", "attention.out_proj.weight",
        "attention.out_proj.bias", "layernorm.weight", "layernorm.bias", "mlp.fc1.weight",
        "mlp.fc1.bias", "mlp.fc2.weight", "mlp.fc2.bias"}) {
    net.ignore(name);
  }
}

void write_classes(Net& net, const Config& config) {
  const PictureTower p = read_picture_sizes(config.part("vision_config")).tower;
  const std::int64_t labels = label_count(config);
  Value* pixels = picture_input(net, p, "batch_size");
  Value* x = nullptr;
  {
    const Net::Scope scope = net.enter("vision_model");
    ignore_head(net);
    x = climb_picture(net, p, pixels);
  }
  net.output("logits", net.linear("classifier", net.mean(x, {1}, false), p.tower.width, labels),
             {"batch_size", labels});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  write_towers(
      net, config, wanted,
      {.both = write_both, .text = write_text, .picture = write_picture, .classes = write_classes});
}

}  // namespace

Family siglip() {
  return {.name = "siglip",
          .model_types = {"siglip", "siglip_text_model", "siglip_vision_model"},
          .tasks = tower_tasks(),
          .write = write};
}

}  // namespace hone::families
