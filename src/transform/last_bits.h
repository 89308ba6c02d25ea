#pragma once
// A model and its inputs with the last bits of their floats flipped at random: as far from the
// originals as rounding is. How far the outputs move then is what rounding in another order can
// come to in this model on this input.

#include <cstdint>

#include "model/model.h"
#include "runtime/samples.h"

namespace hone {

// Weights; small constants stay, which may be sizes, axes or exponents.
Result<Model> with_last_bits_flipped(const Model& model, std::uint64_t seed);
Result<Sample> with_last_bits_flipped(const Sample& sample, std::uint64_t seed);

}  // namespace hone
