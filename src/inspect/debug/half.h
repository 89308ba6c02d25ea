#pragma once
// A model in half precision (float16, bfloat16) as one that computes in float and rounds every
// tensor that was half behind the node that makes it. ONNX Runtime's CPU EP has few kernels for
// half: it computes floats there and leaves out roundings that nobody looks at. So this, and not
// its CPU EP, shows what a device with such kernels is left with at the borders of its tensors;
// what happens inside of a kernel is the device's own.

#include <set>
#include <string>
#include <unordered_map>

#include "inspect/debug/pairs.h"
#include "runtime/samples.h"

namespace hone {

bool is_half(ElementType type);
// Whether a tensor, a value or a Cast of the model is half.
bool has_half(const Model& model);

// What numbers of a type of half precision can be.
struct HalfLimits {
  double largest = 0;
  double overflows_from = 0;  // what rounds to infinity
  double underflows_to = 0;   // what rounds to zero
  double smallest_normal = 0;
  int digits = 0;  // binary ones
};
HalfLimits half_limits(ElementType type);

struct Halves {
  std::vector<RoundedTensor> tensors;                   // in the order of the nodes
  std::vector<StoredWeight> weights;                    // as they were stored
  std::unordered_map<const Value*, ElementType> types;  // of every value that was half
};

// Changes the model. A half input of the model becomes float, and is rounded.
Result<Halves> round_halves(Model& model);

// One of the two Casts that round a tensor.
bool is_rounding(const Node* node);
// The second of them: what it makes is what is left of the tensor.
bool ends_rounding(const Node* node);

// Whether a node only moves or picks numbers, so that half precision loses nothing in it.
bool only_moves(const Node& node);

// Floats as the half precision that the model's inputs declare; others as they are.
Result<Sample> as_declared(const Sample& sample, const Model& model);

}  // namespace hone
