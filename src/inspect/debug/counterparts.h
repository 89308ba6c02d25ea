#pragma once
// Which tensor of the float model a quantized tensor stands for. The quantized model is matched
// without its QuantizeLinear and DequantizeLinear, or the Casts that round it to half, node by
// node; names are one witness among others.

#include <string>
#include <unordered_map>

#include "inspect/debug/sums.h"
#include "inspect/match.h"
#include "model/model.h"

namespace hone {

struct Counterpart {
  const Value* value = nullptr;  // of the float model; null: none was found
  // A Relu or Clip that makes it, and that the quantized model leaves to the range of its integers.
  const Node* absorbed = nullptr;
};

// "x_DequantizeLinear_Output" is "x": what quantizers append to the name of a float tensor.
std::string without_suffix(const std::string& name);

class Counterparts {
 public:
  Counterparts(const Model& float_model, const Model& quantized_model);

  // Of what QuantizeLinear reads and the DequantizeLinear behind it makes; of a weight, what its
  // DequantizeLinear makes, twice.
  Counterpart of(const Value& before, const Value& after) const;
  // The float model's node that a node of the quantized model is; null where there is none.
  const Node* of(const Node& quantized) const;

 private:
  const Value* by_readers(const Value& bare) const;
  const Value* by_producer(const Value& bare) const;
  const Value* by_name(const Value& quantized) const;

  const Model& float_model_;
  Model bare_;  // the quantized model without its quantization
  std::unordered_map<const Value*, const Value*> bare_values_;  // by the quantized model's
  std::unordered_map<const Node*, const Node*> bare_nodes_;
  Matching matching_;  // from bare_ to the float model
};

// What the Relu or Clip leaves; everything where its bounds are not known.
Bounds bounds_of(const Node& relu_or_clip);

}  // namespace hone
