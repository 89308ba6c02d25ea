#pragma once
// Ops that multiply with constant weights, seen alike: Conv, ConvTranspose, Gemm, and MatMul with
// its bias in an Add behind it. What is affine before or after them can move into the weights.

#include <string>
#include <vector>

#include "transform/affine.h"
#include "transform/rewriter.h"

namespace hone {

struct Linear {
  Node* node = nullptr;  // what holds the weights
  Node* last = nullptr;  // what makes the result: the Add of a MatMul's bias, else the same
  Value* weight = nullptr;
  Value* bias = nullptr;       // null when it has none
  std::size_t bias_index = 0;  // which input of `last` it is
  Channels in{};
  Channels out{};
  std::size_t groups = 1;
  bool inputs_first = false;  // the weight's first axis is the input's channels (not the output's)
  double alpha = 1;           // of a Gemm
  double beta = 1;

  bool is(std::string_view op) const { return node->is(op); }
  Value& result() const { return *last->output(0); }
  // Whether a constant can be added to its result without another node.
  bool takes_bias() const { return !node->is("MatMul") || bias != nullptr; }
};

// Nothing unless weights and bias are constants of floats whose shapes fit together.
std::optional<Linear> linear_of(Node& node);

// New weights and a new bias, null where the old one stays.
struct Folded {
  TensorPtr weight{};
  TensorPtr bias{};
  bool is_valid = false;  // not so when a number leaves the range of its type
};
// The op whose result is affine(result). REQUIRES takes_bias() where the affine has an offset.
Folded fold_after(const Linear& linear, const Affine& affine);
// The op whose result on x is that of the old one on affine(x), at every place where no padding is
// read. REQUIRES takes_bias() where the affine has an offset.
Folded fold_before(const Linear& linear, const Affine& affine);
// Puts them into the op.
void apply(Rewriter& rewriter, const Linear& linear, const Folded& folded);

inline constexpr auto out_of_range = "a folded weight would leave the range of its type";

}  // namespace hone
