#pragma once
// Layer normalization, (x - mean) / sqrt(variance + epsilon) * scale + bias, and its simplification
// by the root of the mean square, x / sqrt(mean(x * x) + epsilon) * scale.

#include <cstdint>
#include <optional>

#include "transform/match/motif.h"

namespace hone {

struct LayerNorm {
  Value* input = nullptr;
  Value* scale = nullptr;
  Value* bias = nullptr;
  std::int64_t axis = -1;  // as it is written: from the end when negative
  double epsilon = 0;
  bool squares_by_pow = false;  // else by a Mul with itself
  Motif nodes;
};

// ReduceMean, Sub, Pow or Mul, ReduceMean, Add, Sqrt, Div, Mul, Add. `end` is the last Add.
std::optional<LayerNorm> match_layer_norm(Node& end);

// The way TensorFlow writes it, where g = scale / sqrt(variance + epsilon): x * g + (bias - mean *
// g). `end` is the Add in the middle.
std::optional<LayerNorm> match_tf_layer_norm(Node& end);

struct RmsNorm {
  Value* input = nullptr;
  Value* scale = nullptr;
  std::int64_t axis = -1;
  double epsilon = 0;
  Motif nodes;
};

// `end` is the Mul by the scale.
std::optional<RmsNorm> match_rms_norm(Node& end);

}  // namespace hone
