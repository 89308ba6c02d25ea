#pragma once
// A layer of a vision transformer: it normalizes before attention and before the network after it.

#include <string>

#include "checkpoint/net.h"

namespace hone {

struct VitLayer {
  std::int64_t width, heads, inner;
  double epsilon;
  bool has_bias;  // of queries, keys and values
  std::string act;
};

// By the names of ViT's modules, of the layer that is entered.
Value* write_vit_layer(Net& net, const VitLayer& layer, Value* x);

}  // namespace hone
