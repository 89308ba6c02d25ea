// CLIP: a tower of words that look back, one of patches, and how alike what they make is. Each of
// them alone, too.

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/towers.h"

namespace hone::families {
namespace {

struct Text {
  TextTower tower;
  std::int64_t end;  // the id of the end of a text
};

// Older files repeat a tower's configuration, and what is said there counts.
Config tower_config(const Config& config, const char* key, const char* older) {
  return config.part(config.has(older) ? older : key);
}

Text read_text_sizes(const Config& config) {
  config.only("is_causal", true, "only words that look back are written");
  return {.tower = read_text_tower(config, {512, 2048, 8, 1e-5, "quick_gelu"}, 49408, 77),
          .end = config.whole("eos_token_id", 49407)};
}

PictureTower read_picture_sizes(const Config& config) {
  return read_picture_tower(config, {768, 3072, 12, 1e-5, "quick_gelu"}, 224, 32, true);
}

// The end of a text stands for all of it. Published files say 2, which is not what ends theirs.
Value* place_of_end(Net& net, const Text& text, Value* ids) {
  if (text.end == 2) return place_of_highest(net, ids);
  return place_of_highest(net, net.op("Equal", {ids, net.whole(text.end)}));
}

struct Seen {
  Value* all = nullptr;
  Value* pooled = nullptr;
};

Seen see_text(Net& net, const Text& text, Value* ids, Value* mask) {
  const Net::Scope scope = net.enter_base("text_model");
  Value* x = read_text(net, text.tower, ids, looking_back(net, ids, mask));
  return {x, word_at(net, x, place_of_end(net, text, ids))};
}

Value* climb_picture(Net& net, const PictureTower& p, Value* pixels) {
  Value* x = embed_patches(net, p, pixels);
  x = net.layer_norm("pre_layrnorm", x, p.tower.width, p.tower.epsilon);
  return climb(net, p.tower, x, nullptr);
}

Seen see_picture(Net& net, const PictureTower& p, Value* pixels) {
  const Net::Scope scope = net.enter_base("vision_model");
  Value* x = climb_picture(net, p, pixels);
  return {x, net.layer_norm("post_layernorm", net.pick(x, 1, 0), p.tower.width, p.tower.epsilon)};
}

void write_both(Net& net, const Config& config) {
  const Text text = read_text_sizes(tower_config(config, "text_config", "text_config_dict"));
  const PictureTower picture =
      read_picture_sizes(tower_config(config, "vision_config", "vision_config_dict"));
  const std::int64_t width = config.size("projection_dim", 512);
  Value* ids = net.input("input_ids", ElementType::int64, {"text_batch_size", "sequence_length"});
  Value* pixels = picture_input(net, picture, "image_batch_size");
  Value* mask =
      net.input("attention_mask", ElementType::int64, {"text_batch_size", "sequence_length"});
  const Net::Scope base = net.enter_base("clip");
  Value* said = net.linear("text_projection", see_text(net, text, ids, mask).pooled,
                           text.tower.tower.width, width, false);
  Value* shown = net.linear("visual_projection", see_picture(net, picture, pixels).pooled,
                            picture.tower.width, width, false);
  write_likeness(net, {.texts = net.l2_normalize(said),
                       .pictures = net.l2_normalize(shown),
                       .scale = net.weight("logit_scale", {}),
                       .width = width});
}

// Optimum gives the tower of words no mask: words that look back never see what fills up a batch.
void write_text(Net& net, const Config& config) {
  const Text text = read_text_sizes(config);
  const std::int64_t width = text.tower.tower.width;
  const Seen seen = see_text(net, text, token_input(net, "input_ids"), nullptr);
  if (net.has_module("text_projection")) {
    const std::int64_t out = config.size("projection_dim", 512);
    Value* projected = net.linear("text_projection", seen.pooled, width, out, false);
    net.output("text_embeds", projected, {"batch_size", out});
  }
  net.output("last_hidden_state", seen.all, {"batch_size", "sequence_length", width});
  if (!net.has_module("text_projection")) {
    net.output("pooler_output", seen.pooled, {"batch_size", width});
  }
}

void write_picture(Net& net, const Config& config) {
  const PictureTower p = read_picture_sizes(config);
  const Seen seen = see_picture(net, p, picture_input(net, p, "batch_size"));
  if (net.has_module("visual_projection")) {
    const std::int64_t out = config.size("projection_dim", 512);
    Value* projected = net.linear("visual_projection", seen.pooled, p.tower.width, out, false);
    net.output("image_embeds", projected, {"batch_size", out});
  }
  net.output("last_hidden_state", seen.all,
             {"batch_size", p.patches * p.patches + 1, p.tower.width});
  if (!net.has_module("visual_projection")) {
    net.output("pooler_output", seen.pooled, {"batch_size", p.tower.width});
  }
}

void write_classes(Net& net, const Config& config) {
  const PictureTower p =
      read_picture_sizes(tower_config(config, "vision_config", "vision_config_dict"));
  const std::int64_t labels = label_count(config);
  Value* pixels = picture_input(net, p, "batch_size");
  Value* x = nullptr;
  {
    const Net::Scope scope = net.enter("vision_model");
    net.ignore("post_layernorm.weight");
    net.ignore("post_layernorm.bias");
    x = climb_picture(net, p, pixels);
  }
  Value* patches = net.mean(net.slice(x, 1, 1, Net::to_end), {1}, false);
  net.output("logits", net.linear("classifier", patches, p.tower.width, labels),
             {"batch_size", labels});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  write_towers(
      net, config, wanted,
      {.both = write_both, .text = write_text, .picture = write_picture, .classes = write_classes});
}

}  // namespace

Family clip() {
  return {.name = "clip",
          .model_types = {"clip", "clip_text_model", "clip_vision_model"},
          .tasks = tower_tasks(),
          .write = write};
}

}  // namespace hone::families
