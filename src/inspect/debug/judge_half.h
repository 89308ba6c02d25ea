#pragma once
// What the sums of a tensor in half precision mean.

#include "inspect/debug/range.h"
#include "inspect/debug/sums.h"
#include "record/debug.h"

namespace hone {

// The decibels rounding to that type keeps of numbers within its range, whatever they are.
double expected_half_sqnr_db(ElementType type);

// Fills what follows from the tensor alone. `loss` has what judge() fills.
void judge_half(const ErrorSums& local, const ErrorSums& cumulative, const RangeCounts& range,
                ElementType type, ActivationLoss& loss);

// Fills class and cause of each tensor in half precision, and counts. `inputs` are the nearest
// rounded tensors before it, by position. Loss begins at a tensor whose node alone is below 40 dB
// or makes numbers that are not finite, unless that came with a rounded input that lost its numbers
// already. An overflow does no harm where whatever reads it is right all the same.
void classify_halves(const std::vector<std::vector<std::size_t>>& inputs,
                     const std::vector<WeightLoss>& weights, std::vector<ActivationLoss>& losses,
                     HalfSummary& summary);

}  // namespace hone
