#pragma once
// Rotary embeddings of positions: pairs of a head's elements are turned by an angle that is their
// position times a frequency. Frequencies come of the configuration, in all kinds of scaling that
// transformers has; cosines and sines are computed in the graph, for no length is the last.

#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

struct RotaryFrequencies {
  std::int64_t size = 2;        // of a head's elements the first so many are turned
  std::vector<float> usual{};   // radians for each position, of size / 2 pairs
  std::int64_t limit = 0;       // sequences of more positions than this have others:
  std::vector<float> beyond{};  // these ("longrope"),
  double growth = 0;            // or, where not 0, those of a base that grows ("dynamic")
  double base = 10'000;
  double scale = 1;  // of cosines and sines
};

// What a family knows of its rotary embedding besides the configuration.
struct RotaryHead {
  std::int64_t head_size = 2;
  std::int64_t positions = 2048;  // max_position_embeddings
  // Phi-3's ways: a part of the head may be turned, the only scaling is "longrope", also by its
  // older names, and original_max_position_embeddings is always said, or 4096.
  bool is_phi = false;
};

// Of rope_parameters, or of rope_theta and rope_scaling as older files have it.
RotaryFrequencies read_rotary(const Config& config, const RotaryHead& head);

// Cosines and sines of all tokens, as the Net's form takes them; the same in every layer.
struct RotaryTables {
  Value* cos = nullptr;
  Value* sin = nullptr;
  Value* rows = nullptr;  // of com.microsoft's: each token's row in the tables
  std::int64_t size = 2;
};

// `positions` is [batch, length] of int64.
RotaryTables rotary_tables(Net& net, const RotaryFrequencies& frequencies, Value* positions);

// x is [batch, length, heads * head_size], and so is what it becomes.
Value* rotate(Net& net, const RotaryTables& tables, Value* x, std::int64_t heads,
              std::int64_t head_size);

}  // namespace hone
