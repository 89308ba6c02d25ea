#pragma once
// Attention that looks at a few points of several maps, around a box of each query.

#include <string_view>
#include <vector>

#include "checkpoint/net.h"

namespace hone {

// One of the maps that lie behind each other in [batch, places of all maps, width].
struct MapLevel {
  Value *begin, *end;  // of its places: lists of one
  Value* size;         // rows and columns: a list of two
};
// Of maps [batch, width, rows, columns].
std::vector<MapLevel> levels_of_maps(Net& net, const std::vector<Value*>& maps);

struct DeformableAttention {
  std::int64_t width, heads, queries, points;
  Value* x;       // [batch, queries, width]
  Value* boxes;   // [batch, queries, 4]: centers and sizes, from 0 to 1
  Value* memory;  // [batch, places of all maps, width]
};
// The projections are sampling_offsets, attention_weights, value_proj and output_proj.
Value* attend_around_boxes(Net& net, std::string_view module, const DeformableAttention& attention,
                           const std::vector<MapLevel>& levels);

}  // namespace hone
