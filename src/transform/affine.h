#pragma once
// Multiplications and additions with constants, one number for all or one per channel.

#include <cstddef>
#include <optional>
#include <vector>

#include "model/model.h"

namespace hone {

// Where the channels of a tensor are. Broadcasting counts from the back, so do we: a tensor whose
// rank is not known may still have its features on the last axis.
struct Channels {
  std::size_t count = 0;
  std::size_t behind = 0;             // axes behind the channel axis
  std::optional<std::size_t> rank{};  // of the tensor
};

// x * scale + offset, with a pair for each channel.
struct Affine {
  std::vector<double> scale;
  std::vector<double> offset;

  static Affine identity(std::size_t channels);
  bool has_offset() const;
};
// First `inner`, then `outer`.
Affine compose(const Affine& inner, const Affine& outer);

// The constant as one number per channel; nothing when it varies along another axis, or would make
// the tensor larger.
std::optional<std::vector<double>> per_channel(const Value& constant, const Channels& channels);

// What a Mul, Div, Add or Sub with one constant of floats does to its other operand.
struct AffineStep {
  Node* node = nullptr;
  Value* input = nullptr;  // the operand that is no constant
  Affine affine;
};
// `channels` are those of the node's result. That its input has the same shape is for the caller to
// know; the constant alone does not make it larger.
std::optional<AffineStep> affine_step(Node& node, const Channels& channels);

// The steps that lead to `value`, which `user` alone uses and which has these channels: the last
// one first, as far back as the shape is known to be the same.
std::vector<AffineStep> steps_before(const Value& value, const Node& user,
                                     const Channels& channels);

}  // namespace hone
