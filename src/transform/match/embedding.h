#pragma once
// Embeddings of tokens: rows of two or three tables (words, positions, segments) that are added and
// normalized.

#include <optional>
#include <vector>

#include "transform/match/motif.h"

namespace hone {

struct Lookup {
  Value* table = nullptr;  // [rows, width], a constant
  Value* ids = nullptr;    // [batch, sequence]
};

struct EmbeddingNorm {
  std::vector<Lookup> lookups;  // in the order of their sum
  Value* rows = nullptr;  // a constant in the place of one: positions, looked up ahead of time
  Motif nodes;
};

// `norm` is a LayerNormalization of the sum, or a SkipLayerNormalization that adds the last of it.
std::optional<EmbeddingNorm> match_embedding_norm(Node& norm);

}  // namespace hone
