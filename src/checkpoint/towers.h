#pragma once
// The two towers of models that compare pictures with texts (CLIP, SigLIP, OWL-ViT): layers that
// normalize before they compute, below embeddings of words or of patches.

#include "checkpoint/config.h"
#include "checkpoint/family.h"
#include "checkpoint/net.h"

namespace hone {

struct Tower {
  std::int64_t width, heads, head_size, inner, layers;
  double epsilon;
  std::string act;
  bool fuses_qkv = false;  // 'qkv' and 'projection' in place of four linear layers
};

// What transformers takes where the configuration says nothing.
struct TowerDefaults {
  std::int64_t width, inner, heads;
  double epsilon;
  const char* act;
};

Tower read_tower(const Config& config, const TowerDefaults& otherwise);
// 'encoder.layers' of the entered module. `bias` is added to the scores; null: none.
Value* climb(Net& net, const Tower& tower, Value* x, Value* bias);
// 'fc1', the activation and 'fc2' of the entered module.
Value* tower_mlp(Net& net, const Tower& tower, Value* x);

struct TextTower {
  Tower tower;
  std::int64_t vocabulary, positions;
};

TextTower read_text_tower(const Config& config, const TowerDefaults& otherwise,
                          std::int64_t vocabulary, std::int64_t positions);
// What the layers make of words that see each other as `bias` says, and its 'final_layer_norm'.
Value* read_text(Net& net, const TextTower& text, Value* ids, Value* bias);
// What each word sees that looks back alone; `mask` may be null.
Value* looking_back(Net& net, Value* ids, Value* mask);
// Of [batch, words, width] the word of each text at `place`, [batch, 1].
Value* word_at(Net& net, Value* x, Value* place);
// Where a text has the highest of its ids, [batch, 1]: CLIP's end of a text.
Value* place_of_highest(Net& net, Value* ids);

struct PictureTower {
  Tower tower;
  std::int64_t channels, image, patch;
  std::int64_t patches = 1;  // in a row
  bool has_class = true;     // a token of its own comes first
  bool has_patch_bias = false;
};

// `has_class` also says whether patches are embedded without a bias: those of CLIP are.
PictureTower read_picture_tower(const Config& config, const TowerDefaults& otherwise,
                                std::int64_t image, std::int64_t patch, bool has_class);
Value* picture_input(Net& net, const PictureTower& picture, const char* batch);
// [batch, class and patches, width], with their positions.
Value* embed_patches(Net& net, const PictureTower& picture, Value* pixels);

// Embeddings of pictures and texts, each of length one, and how alike they are: `scale` is the
// logarithm of a factor, `bias` may be null.
struct Likeness {
  Value* texts = nullptr;
  Value* pictures = nullptr;
  Value* scale = nullptr;
  Value* bias = nullptr;
  std::int64_t width = 1;
};

void write_likeness(Net& net, const Likeness& likeness);

// What a family of two towers is written for.
std::vector<std::string_view> tower_tasks();

// Its graphs. A tower is a checkpoint of a model_type of its own, too.
struct TowerGraphs {
  using Write = void (*)(Net& net, const Config& config);
  Write both;
  Write text;     // "..._text_model"
  Write picture;  // "..._vision_model"
  Write classes;
};

void write_towers(Net& net, const Config& config, const WantedGraph& wanted,
                  const TowerGraphs& graphs);

}  // namespace hone
