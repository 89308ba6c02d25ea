#pragma once
// Attention of several heads: softmax(scale * Q K' + mask) V.

#include <optional>

#include "transform/match/motif.h"

namespace hone {

struct AttentionMatch {
  // [batch, sequence, heads, size of a head], before they are turned for the products.
  Value* query = nullptr;
  Value* key = nullptr;
  Value* value = nullptr;
  Value* mask = nullptr;  // what is added to the scores; null when nothing is
  double scale = 1;
  // From the first product to the result, which has the axes of the query again. What turns the
  // heads before is not among them: others may need that too.
  Motif nodes;
};

// The products may be MatMuls between Transposes, as PyTorch exports them, or Einsums, as Keras
// does. `softmax` is the one in the middle.
std::optional<AttentionMatch> match_attention(Node& softmax);

}  // namespace hone
