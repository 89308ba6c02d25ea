#pragma once
// What a model is, without running it and without reading a weight.

#include "base/result.h"
#include "model/model.h"
#include "record/model_facts.h"

namespace hone {

// `path` names the file in the record and tells its size. The optional parts of the record
// (content_fingerprint, quantization) are the caller's to fill.
Result<ModelFacts> gather_facts(const Model& model, const Path& path);

// One input or output.
ValueFacts value_facts(const std::string& name, const Type& type);

// Weights by element type and what they count as.
struct WeightTotals {
  std::map<std::string, std::uint64_t> bytes;
  std::uint64_t parameters = 0;    // see ModelFacts
  std::uint64_t absent_bytes = 0;  // of them, those whose data file is missing
};
WeightTotals count_weights(const Model& model);

// "MatMul", "com.microsoft.MatMulNBits": an operator in histograms.
std::string name_of_op(const Node& node);

// Nodes by operator, in the main graph and the graphs inside it; bodies of functions do not count.
std::map<std::string, std::uint64_t> count_ops(const Model& model);

}  // namespace hone
