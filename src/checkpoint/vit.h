#pragma once
// What vision transformers share: a picture in patches, and layers that normalize first, by the
// names of ViT's modules.

#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

struct VitSizes {
  std::int64_t width = 1, heads = 1, head_size = 1, inner = 1, layers = 0, channels = 1, pooled = 1;
  std::vector<std::int64_t> image, patch;  // height and width
  double epsilon = 0;
  std::string act;
  bool qkv_bias = true;
};

// Of a ViTConfig, and of those that have its switches and defaults.
VitSizes read_vit_sizes(const Config& config, std::int64_t image = 224);
// How many patches the image of the configuration has.
std::int64_t patch_count(const VitSizes& s);
// Rows and columns of patches that pixels [batch, channels, height, width] have: a list of two.
Value* patch_grid(Net& net, const VitSizes& s, Value* pixels);

// Patches as 'patch_embeddings.projection' sees them: [batch, rows * columns, width].
Value* embed_patches(Net& net, const VitSizes& s, Value* pixels, std::int64_t padding = 0);
// [batch, rows * columns, width] as [batch, width, rows, columns]; `grid` has the two.
Value* unflatten_patches(Net& net, std::int64_t width, Value* x, Value* grid);
// The weight `name` [1, 1, width], once for each picture in x.
Value* special_token(Net& net, const VitSizes& s, std::string_view name, Value* x);
// 'position_embeddings' of one token and side * side patches, for those of another grid.
Value* resized_positions(Net& net, const VitSizes& s, std::int64_t side, Value* grid,
                         Net::Interpolation how);

// 'attention.{query,key,value}' and 'output.dense' of the module that is entered.
Value* attend_patches(Net& net, const VitSizes& s, Value* x);
// 'fc1' and 'fc2' of the module that is entered.
Value* mlp_of_patches(Net& net, const VitSizes& s, Value* x);

// A whole encoder after its base module is entered: [batch, tokens, width], normalized. Special
// tokens come first: 'cls_token', of DeiT's also 'distillation_token'.
enum class VitTokens { one, two };
Value* encode_vit(Net& net, const VitSizes& s, Value* pixels, VitTokens tokens);
// What comes after the embeddings: layers and norm. `each`, where it is wanted, gets what each of
// the layers makes.
Value* vit_layers(Net& net, const VitSizes& s, Value* x, std::vector<Value*>* each = nullptr);
// 'pooler': of the first token. Null where the checkpoint has none.
Value* pool_vit(Net& net, const Config& config, const VitSizes& s, Value* x);

// The output of masked-im: pixels from a map [batch, width, side, side] by the head 'decoder'.
void write_reconstruction(Net& net, const Config& config, Value* map, std::int64_t width,
                          std::int64_t side, std::int64_t channels, std::int64_t stride);

}  // namespace hone
