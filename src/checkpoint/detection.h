#pragma once
// What detectors share: attention to places in a picture, and heads that say boxes.

#include <string_view>

#include "checkpoint/net.h"

namespace hone {

// A network of `count` layers by "layers.0", "layers.1", ..., with Relu between them.
struct DetectionHead {
  std::int64_t in, inner, out, count;
};
Value* predict(Net& net, std::string_view module, Value* x, const DetectionHead& head);

// What is known of places is added to queries and keys, not to values; null adds nothing. The
// projections are q_proj, k_proj, v_proj and out_proj.
struct PlacedAttention {
  std::int64_t width, heads;
  Value *x, *places;          // of the queries
  Value *seen, *seen_places;  // of the keys
};
Value* attend_to_places(Net& net, std::string_view module, const PlacedAttention& attention);

// "fc1" and "fc2" of the entered module.
Value* widen_and_narrow(Net& net, Value* x, std::int64_t width, std::int64_t inner,
                        std::string_view act, std::string_view act_key);

// [batch, width, height, width of the map] as [batch, places, width], row by row.
Value* places_of_map(Net& net, Value* map, std::int64_t width);
// [1, places, 2 * features] of features for each row [rows, features] and each column.
Value* places_of_rows_and_columns(Net& net, Value* rows, Value* columns, std::int64_t features,
                                  bool columns_first = false);
// 0, 1, ... for each row or column of a map (axis 2 or 3), as floats.
Value* count_along(Net& net, Value* map, std::int64_t axis);

// logits [batch, queries, labels] and pred_boxes [batch, queries, 4].
void write_detections(Net& net, Value* logits, Value* boxes, std::int64_t queries,
                      std::int64_t labels);

}  // namespace hone
