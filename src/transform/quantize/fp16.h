#pragma once
// A float model as a float16 model. What float16 cannot do stays float, with a Cast at each border,
// one for each value that crosses it.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "transform/quantize/constant_matmul.h"

namespace hone {

struct Fp16Options {
  bool keep_io_types = true;  // inputs and outputs stay float, behind Casts
  NodeFilter takes{};         // nodes it does not take stay float
};

// A tensor that does not go into float16 as it is.
struct Fp16RangeNote {
  std::string tensor;
  std::uint64_t too_large = 0;  // beyond 65504, and now there
  std::uint64_t too_small = 0;  // nearer to zero than 5.96e-8, and now there
  bool subnormal_only = false;  // all below 6.1e-5: float16 has few digits left there
};

struct Fp16Report {
  std::size_t nodes = 0;    // that now compute in float16
  std::size_t casts = 0;    // added
  std::size_t tensors = 0;  // converted
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::vector<Fp16RangeNote> ranges;
  std::vector<Declined> left_alone;  // nodes that stay float
};

// By the types of values (infer_types): a node with a value whose type is not known stays as it is,
// and is reported. Subgraphs are converted too; functions, and what calls them, stay float.
Result<Fp16Report> convert_to_fp16(Model& model, const Fp16Options& options);

struct Fp16Tensor {
  TensorPtr tensor;
  Fp16RangeNote note;
};

// A float tensor as float16, with the same name: the nearest number, never beyond +-65504 and never
// zero unless it was; infinity and NaN stay what they are. REQUIRES: a float tensor.
Result<Fp16Tensor> to_fp16(const Tensor& tensor);

}  // namespace hone
