#pragma once
// Puts a plan into the graph: QuantizeLinear and DequantizeLinear around activations, quantized
// initializers behind DequantizeLinear for constants, under the names ONNX Runtime's tools give.

#include <string>

#include "base/result.h"
#include "transform/quantize/plan.h"
#include "transform/quantize/scales.h"

namespace hone {

struct InsertReport {
  std::size_t activations = 0;
  std::size_t weights = 0;
  std::size_t biases = 0;
  std::size_t nodes = 0;  // QuantizeLinear and DequantizeLinear
  std::vector<std::string> notes;
};

// `domain` is that of the new nodes: "" or "com.microsoft". Weights are quantized one after the
// other; a float weight nobody uses any more is gone from the model afterwards.
Result<InsertReport> insert_quantization(Model& model, const QuantizePlan& plan,
                                         const ScaleMap& scales, const std::string& domain);

}  // namespace hone
