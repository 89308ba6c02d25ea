#pragma once
// MatMuls whose weight never changes: what a quantizer of weights works on.

#include <functional>
#include <vector>

#include "model/graph.h"
#include "transform/rewriter.h"

namespace hone {

// Which nodes may be changed; an empty one takes all of them.
using NodeFilter = std::function<bool(const Node&)>;

// A MatMul, or a Gemm that is a MatMul and an Add.
struct ConstantMatMul {
  Node* node = nullptr;
  Value* weight = nullptr;
  TensorPtr tensor;         // the weight's
  bool transposed = false;  // it lies as [N, K]
  Value* bias = nullptr;    // of a Gemm that has one
};

// All of them, in order. Others that multiply matrices are declined with the reason.
std::vector<ConstantMatMul> find_constant_matmuls(Rewriter& rewriter, const NodeFilter& takes);

// Puts `product`, a node with one output before the MatMul and in its graph, in its place: it makes
// what the MatMul made, or hands it to the Add that a Gemm's bias leaves behind.
void put_in_place(const ConstantMatMul& matmul, Node& product);

}  // namespace hone
