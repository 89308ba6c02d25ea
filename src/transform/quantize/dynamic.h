#pragma once
// 8-bit weights and activations whose scale is found while the model runs: MatMulInteger and
// ConvInteger behind DynamicQuantizeLinear, node for node as ONNX Runtime's quantize_dynamic puts
// them. Needs no calibration.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "transform/quantize/constant_matmul.h"

namespace hone {

struct DynamicOptions {
  // int8 or uint8; activations are uint8.
  ElementType weight_type = ElementType::int8;   // of MatMuls
  ElementType filter_type = ElementType::uint8;  // of Convs: before 1.24, ONNX Runtime has no int8
  bool per_channel = false;  // MatMuls: a scale for each column. Filters always have one scale
  bool reduced = false;      // weights of 7 bits: 8-bit sums overflow on x64 without VNNI
  NodeFilter takes{};
};

struct DynamicReport {
  std::size_t matmuls = 0;
  std::size_t convolutions = 0;
  std::size_t weights = 0;      // quantized; several nodes may share one
  std::size_t activations = 0;  // quantized while the model runs
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::vector<Declined> left_alone;
};

// Weights are quantized one after the other. Fails for options that do not exist, models before
// opset 11, and a weight that is not there or not finite; what cannot be quantized is left alone
// and reported.
Result<DynamicReport> quantize_dynamic(Model& model, const DynamicOptions& options);

}  // namespace hone
