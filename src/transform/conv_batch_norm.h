#pragma once
// BatchNormalization behind sums of convolutions and constants.

#include <functional>

#include "transform/rewriter.h"

namespace hone {

// Folds each inference-mode BatchNormalization behind a tree of Adds whose leaves are convolutions
// with constant weights (at least one) and constants. Every leaf is scaled, one convolution takes
// the shift, and the Adds stay. Only trees whose topmost Add is `accepted` are looked at.
void fold_batch_normalization(Rewriter& rewriter, const std::function<bool(const Node&)>& accepted);

}  // namespace hone
