#pragma once
// What the sums of a tensor mean.

#include <optional>
#include <vector>

#include "inspect/debug/pairs.h"
#include "inspect/debug/sums.h"
#include "record/debug.h"

namespace hone {

// Below this a tensor is damaged: 40 dB are an error of a hundredth.
constexpr double damaged_db = 40;
// A tensor that loses this much more than its width must has a reason for it.
constexpr double excess_db = 3;
// Two bits of its width: loss begins here even while others lose more.
constexpr double gross_excess_db = 12;

// The decibels a uniform quantizer of that many bits keeps of what was seen, when its range is just
// what was seen (and zero).
std::optional<double> expected_sqnr_db(const ErrorSums& local, int bits);

// Fills what follows from the tensor alone: decibels, expectation, excess and its cause.
void judge(const ErrorSums& local, const ErrorSums& cumulative,
           const std::optional<UniformGrid>& grid, ActivationLoss& loss);

// Fills the class of each; `inputs` are the nearest quantized tensors before it, by position.
void classify(const std::vector<std::vector<std::size_t>>& inputs,
              std::vector<ActivationLoss>& losses);

// A tensor whose inputs have a quarter of its noise at the most did not inherit it: where its node
// reads a weight below 40 dB, that is where loss begins. REQUIRES: they are classified.
void blame_weights(const std::vector<std::vector<std::size_t>>& inputs,
                   const std::vector<WeightLoss>& weights, std::vector<ActivationLoss>& losses);

LossSummary summarize(const std::vector<std::optional<double>>& decibels);

// "/encoder/layer.3/attention/MatMul" is in "encoder/layer.3": the scope up to its last part with a
// number, else all of it.
std::string layer_of(const std::string& node_name);

}  // namespace hone
