#pragma once
// MatMul with a matrix, and an Add of a vector behind it: a linear layer, whatever the rank of its
// input.

#include <vector>

#include "transform/rewriter.h"

namespace hone {

struct MatMulAdd {
  Node* matmul = nullptr;
  Node* add = nullptr;
  Value* input = nullptr;   // of rank `shape.size()`
  Value* weight = nullptr;  // [features in, features out]
  Value* bias = nullptr;    // [features out]
  Shape shape;              // of the input
  std::int64_t features_in = 0;
  std::int64_t features_out = 0;

  Value& result() const { return *add->output(0); }
};

// Those whose input has a rank from `least_rank` to `most_rank`.
std::vector<MatMulAdd> find_matmul_adds(const Rewriter& rewriter, std::size_t least_rank,
                                        std::size_t most_rank);

// The weights as a 1 x 1 convolution, [features out, features in, 1, 1]; null, with the reason
// declined, when they are no constant of floats.
Value* convolution_weight(Rewriter& rewriter, const MatMulAdd& layer);
// That convolution of `input`, which has the features on its second of four axes.
Value& add_convolution(Rewriter& rewriter, const MatMulAdd& layer, Value& input, Value& weight);

}  // namespace hone
