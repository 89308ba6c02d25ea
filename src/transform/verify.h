#pragma once
// Whether a changed model still computes the same: both run on the CPU EP, without ONNX Runtime's
// own optimizations, on the same samples.

#include <memory>
#include <vector>

#include "model/model.h"
#include "record/optimize.h"
#include "runtime/samples.h"
#include "transform/pass.h"

namespace hone {

// What "close" and "relaxed" allow, of the largest magnitude of an output: rounding in another
// order is some 1e-6 of it in float32, and some 1e-3 in float16.
double tolerance_of(Numerics promise, ElementType type);
std::string_view name_of(Numerics numerics);

// The outputs of a model on every sample, one map per sample.
Result<std::vector<NamedTensors>> run_samples(const std::shared_ptr<Runtime>& runtime,
                                              const Model& model,
                                              const std::vector<Sample>& samples,
                                              const OptionMap& session_options);

// Samples for a model: those given, else seeded ones that fit it.
struct SampleSource {
  std::string data;  // .npz or folder; empty: seeded
  std::string shape_config;
  std::uint64_t seed = 0;
  std::size_t count = 2;
};
Result<std::vector<Sample>> samples_for(const Model& model, const SampleSource& source);

// Output by output over all samples. REQUIRES: as many of one as of the other.
std::vector<OutputDifference> compare_outputs(const std::vector<NamedTensors>& reference,
                                              const std::vector<NamedTensors>& other);

Result<Verification> verify(const std::shared_ptr<Runtime>& runtime, const Model& before,
                            const Model& after, const std::vector<Sample>& samples,
                            Numerics promise);

}  // namespace hone
