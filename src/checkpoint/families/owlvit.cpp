// OWL-ViT and OWLv2: CLIP's towers; each patch of the picture says where a thing is, and how much
// it is like each of the texts.

#include <cmath>

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/towers.h"

namespace hone::families {
namespace {

struct Sizes {
  TextTower text;
  PictureTower picture;
  std::int64_t width;   // of embeddings
  std::string base;     // the module that a detector has around the towers
  bool has_objectness;  // whether patches say how much of a thing they are
};

Sizes read_sizes(const Config& config) {
  const Config text = config.part("text_config");
  const bool is_second = config.word("model_type") == "owlv2";
  text.only("is_causal", true, "only words that look back are written");
  const std::int64_t patch = is_second ? 16 : 32;
  return {.text = read_text_tower(text, {512, 2048, 8, 1e-5, "quick_gelu"}, 49408, 16),
          .picture = read_picture_tower(config.part("vision_config"),
                                        {768, 3072, 12, 1e-5, "quick_gelu"}, 768, patch, true),
          .width = config.size("projection_dim", 512),
          .base = is_second ? "owlv2" : "owlvit",
          .has_objectness = is_second};
}

Value* embed_texts(Net& net, const Sizes& s, Value* ids, Value* mask) {
  Value* x = nullptr;
  {
    const Net::Scope scope = net.enter("text_model");
    x = read_text(net, s.text, ids, looking_back(net, ids, mask));
    x = word_at(net, x, place_of_highest(net, ids));
  }
  return net.l2_normalize(net.linear("text_projection", x, s.text.tower.width, s.width, false));
}

// What the layers make of the picture, without the norm after them.
Value* climb_picture(Net& net, const PictureTower& p, Value* pixels) {
  Value* x = embed_patches(net, p, pixels);
  x = net.layer_norm("pre_layernorm", x, p.tower.width, p.tower.epsilon);
  return climb(net, p.tower, x, nullptr);
}

void write_likeness_of_both(Net& net, const Sizes& s, Value* ids, Value* mask, Value* pixels) {
  const Net::Scope base = net.enter_base(s.base);
  const Tower& t = s.picture.tower;
  Value* texts = embed_texts(net, s, ids, mask);
  Value* pooled = nullptr;
  {
    const Net::Scope scope = net.enter("vision_model");
    Value* x = climb_picture(net, s.picture, pixels);
    pooled = net.layer_norm("post_layernorm", net.pick(x, 1, 0), t.width, t.epsilon);
  }
  Value* shown = net.linear("visual_projection", pooled, t.width, s.width, false);
  write_likeness(net, {.texts = texts,
                       .pictures = net.l2_normalize(shown),
                       .scale = net.weight("logit_scale", {}),
                       .width = s.width});
}

// [batch, patches, width]: each patch times what stands for the whole picture.
Value* features_of_patches(Net& net, const Sizes& s, Value* pixels) {
  const Tower& t = s.picture.tower;
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base(s.base);
    net.ignore("logit_scale");
    net.ignore("visual_projection.weight");
    const Net::Scope scope = net.enter("vision_model");
    x = climb_picture(net, s.picture, pixels);
    x = net.layer_norm("post_layernorm", x, t.width, t.epsilon);
  }
  Value* patches = net.mul(net.slice(x, 1, 1, Net::to_end), net.slice(x, 1, 0, 1));
  return net.layer_norm("layer_norm", patches, t.width, t.epsilon);
}

// The logit of a share, in float32 as the model was trained with it: near 1 its rounding shows.
float logit_of(float share) {
  constexpr float least = 1e-4F;
  return std::log(share + least) - std::log1p(-share + least);
}

// What is added to each patch's box: its lower right corner, and the size of a patch.
Value* box_bias(Net& net, std::int64_t patches) {
  const auto share = [&](std::int64_t count) {
    return logit_of(static_cast<float>(count) / static_cast<float>(patches));
  };
  std::vector<double> numbers;
  for (std::int64_t y = 1; y <= patches; ++y) {
    for (std::int64_t x = 1; x <= patches; ++x) {
      for (const std::int64_t count : {x, y, std::int64_t{1}, std::int64_t{1}}) {
        numbers.push_back(static_cast<double>(share(count)));
      }
    }
  }
  return net.reals(numbers, {patches * patches, 4});
}

Value* box_head(Net& net, const char* module, Value* x, std::int64_t width, std::int64_t out) {
  const Net::Scope scope = net.enter(module);
  x = net.gelu(net.linear("dense0", x, width, width));
  x = net.gelu(net.linear("dense1", x, width, width));
  return net.linear("dense2", x, width, out);
}

Value* of_length_one(Net& net, Value* x) {
  return net.div(x, net.add(net.op("Sqrt", {net.sum(net.mul(x, x), {-1})}), 1e-6));
}

// [batch, patches, queries]: how much a patch is like a text, in the scale the patch itself gives.
Value* class_head(Net& net, const Sizes& s, Value* features, Value* queries) {
  const Net::Scope scope = net.enter("class_head");
  const std::int64_t width = s.picture.tower.width;
  Value* x = of_length_one(net, net.linear("dense0", features, width, s.width));
  Value* alike = net.matmul(x, net.transpose(of_length_one(net, queries), {0, 2, 1}));
  Value* shift = net.linear("logit_shift", features, width, 1);
  Value* scale = net.add(net.op("Elu", {net.linear("logit_scale", features, width, 1)}), 1.0);
  return net.mul(net.add(alike, shift), scale);
}

// A text that begins with id 0 fills up the queries of a picture: nothing is like it.
Value* without_padding(Net& net, Value* logits, Value* ids, Value* batch) {
  Value* first = net.reshape(net.pick(ids, 1, 0), net.dims({batch, 1, -1}));
  Value* is_text = net.op("Greater", {first, net.whole(0)});
  return net.where(is_text, logits, net.real(net.lowest()));
}

void write_detector(Net& net, const Sizes& s, Value* ids, Value* mask, Value* pixels) {
  const PictureTower& p = s.picture;
  const std::int64_t patches = p.patches * p.patches;
  Value* batch = net.size_of(pixels, 0);
  Value* texts = nullptr;
  {
    const Net::Scope base = net.enter_base(s.base);
    texts = embed_texts(net, s, ids, mask);
  }
  texts = net.reshape(texts, net.dims({batch, -1, s.width}));
  Value* features = features_of_patches(net, s, pixels);
  // The boxes' table is as large as that of positions, which was found.
  if (net.problems().any()) return;
  Value* logits = without_padding(net, class_head(net, s, features, texts), ids, batch);
  net.output("logits", logits, {"image_batch_size", patches, "num_queries"});
  net.ignore("box_bias");
  Value* boxes = box_head(net, "box_head", features, p.tower.width, 4);
  net.output("pred_boxes", net.sigmoid(net.add(boxes, box_bias(net, p.patches))),
             {"image_batch_size", patches, 4});
  net.output("text_embeds", texts, {"image_batch_size", "num_queries", s.width});
  net.output("image_embeds", net.reshape(features, {0, p.patches, p.patches, p.tower.width}),
             {"image_batch_size", p.patches, p.patches, p.tower.width});
  if (!s.has_objectness) return;
  Value* things = box_head(net, "objectness_head", features, p.tower.width, 1);
  net.output("objectness_logits", net.squeeze(things, {2}), {"image_batch_size", patches});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  Value* ids = net.input("input_ids", ElementType::int64, {"text_batch_size", "sequence_length"});
  Value* pixels = picture_input(net, s.picture, "image_batch_size");
  Value* mask =
      net.input("attention_mask", ElementType::int64, {"text_batch_size", "sequence_length"});
  if (wanted.task == "feature-extraction") {
    write_likeness_of_both(net, s, ids, mask, pixels);
    return;
  }
  if (s.width != s.text.tower.width) {
    config.refuse("projection_dim", "a detector's has to be the hidden_size of text_config");
  }
  write_detector(net, s, ids, mask, pixels);
}

}  // namespace

Family owlvit() {
  return {.name = "owlvit",
          .model_types = {"owlvit", "owlv2"},
          .tasks = {"feature-extraction", "zero-shot-object-detection"},
          .write = write};
}

}  // namespace hone::families
