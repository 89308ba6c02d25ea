#pragma once
// GELU by the error function: x * (1 + erf(x / sqrt 2)) / 2, in every order of its products.

#include <optional>

#include "transform/match/motif.h"

namespace hone {

struct Gelu {
  // The names of the forms count from here: gelu1, gelu2, ...
  enum class Form {
    input_halved,    // (x * 0.5) * (1 + erf(x / sqrt 2))
    product_halved,  // (x * (1 + erf(x / sqrt 2))) * 0.5, as PyTorch exports it
    gate_halved,     // x * ((1 + erf(x / sqrt 2)) * 0.5)
    multiplied,      // any of these with x * (1 / sqrt 2) in the place of the division
  };
  Form form = Form::input_halved;
  Value* input = nullptr;
  Motif nodes;
};

// REQUIRES: `end` is a node. It is the last Mul.
std::optional<Gelu> match_gelu(Node& end);

}  // namespace hone
