#pragma once
// Weights of MatMuls as 4-bit numbers in blocks along K, each block with its own scale: the
// MatMulNBits of ONNX Runtime, bit for bit as its own quantizer (round to nearest) packs it.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "transform/quantize/constant_matmul.h"

namespace hone {

struct Int4Options {
  std::int64_t block_size = 128;  // elements that share a scale: a power of two from 16 to 256
  bool symmetric = true;          // without zero points: the block's largest magnitude is -8
  // What the kernel may round the activations to: 1 float, 2 float16, 3 bfloat16, 4 int8. 0 leaves
  // it to the kernel, and the attribute out.
  std::int64_t accuracy_level = 0;
  NodeFilter takes{};
};

struct Int4Report {
  std::size_t matmuls = 0;  // that became MatMulNBits
  std::size_t weights = 0;  // quantized; several MatMuls may share one
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::vector<Declined> left_alone;
};

// Weights are quantized one after the other. Fails for an option that does not exist and a weight
// that is not there or not finite; what cannot be quantized is left alone and reported.
Result<Int4Report> quantize_int4(Model& model, const Int4Options& options);

// A matrix [K, N] of floats, or its transpose [N, K], as MatMulNBits takes it.
struct Int4Weight {
  std::int64_t rows = 0;     // K
  std::int64_t columns = 0;  // N
  std::string values;        // uint8[N, blocks, block_size / 2], the low half first
  std::string scales;        // [N, blocks] of the weight's own type
  std::string zero_points;   // uint8[N, (blocks + 1) / 2]; empty when symmetric
};

// REQUIRES: a float or float16 tensor of rank 2 with elements, and a valid block size. NaN and
// infinity are an error.
Result<Int4Weight> pack_int4(const Tensor& tensor, bool transposed, std::int64_t block_size,
                             bool symmetric);

}  // namespace hone
