#pragma once
// DINOv2's encoder, for its own heads and as the backbone of others.

#include "checkpoint/vit.h"

namespace hone {

struct Dinov2Sizes {
  VitSizes vit;
  std::int64_t side = 1;  // of the square of patches that positions were learned for
  bool is_gated = false;
};

Dinov2Sizes read_dinov2_sizes(const Config& config);
// After the base module is entered: [batch, 1 + patches, width], normalized. `each`, where it is
// wanted, gets what the embeddings and each of the layers make.
Value* encode_dinov2(Net& net, const Dinov2Sizes& sizes, Value* pixels,
                     std::vector<Value*>* each = nullptr);
// What its backbone gives, each [batch, 1 + patches, width].
std::vector<Value*> dinov2_features(Net& net, const Config& config, const Dinov2Sizes& sizes,
                                    Value* pixels);

}  // namespace hone
