#pragma once
// A model whose quantizers see their floats with a little noise. Whether a float is rounded to one
// step or to the next is decided by its last bits where it lies between two, so rounding in another
// order moves it by a whole step. Flipped last bits of weights and inputs do not show that where
// inputs are integers and weights are quantized.

#include <cstdint>
#include <optional>

#include "model/model.h"

namespace hone {

// As large as float32 sums in another order get far down a network: 2^-17 of each element. Nothing
// where no node quantizes a float32.
std::optional<Model> with_noise_before_steps(const Model& model, std::uint64_t seed);

}  // namespace hone
