#pragma once
// Where a model is quantized, read off its topology: a QuantizeLinear with the DequantizeLinear
// behind it is a tensor that was rounded, a DequantizeLinear of something stored is a weight. (In
// half precision a pair of Casts stands in their place: half.h.)
// Nothing depends on names, so it does not matter which tool made the model.

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "record/debug.h"

namespace hone {

// One scale for the whole tensor, as far as it is known without running the model.
struct UniformGrid {
  double scale = 0;
  double zero_point = 0;
  int bits = 0;
  double low = 0;  // what the integers reach
  double high = 0;
};

struct RoundedTensor {
  Value* before = nullptr;         // what is rounded
  Value* after = nullptr;          // what is left of it
  const Node* quantize = nullptr;  // or the Cast to half
  ElementType type = ElementType::undefined;
  std::optional<UniformGrid> grid;  // without one: a scale per channel, or a computed one
  // In half precision, the node that computes it; null: a float that goes into half.
  const Node* in_half = nullptr;
};

struct StoredWeight {
  Value* after = nullptr;            // the floats that come out of it
  const Node* dequantize = nullptr;  // makes `after`; null: it is stored in half precision
  const Node* quantize = nullptr;    // where floats are stored and rounded when the model runs
  TensorPtr stored;
  ElementType type = ElementType::undefined;
};

struct Quantization {
  std::vector<RoundedTensor> tensors;  // in the order of the nodes
  std::vector<StoredWeight> weights;
  std::vector<UnmatchedTensor> odd;  // quantized in a way that shows no float tensor
};

// Subgraphs included. Pointers are into the model.
Quantization find_quantization(const Model& model);

}  // namespace hone
