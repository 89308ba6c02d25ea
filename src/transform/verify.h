#pragma once
// Whether a changed model still computes the same: both run on the CPU EP, without ONNX Runtime's
// own optimizations, on the same samples.

#include <map>
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

// Why a model that does not hold is not taken: it is known to be wrong, or nobody can tell.
// REQUIRES: !verification.holds.
Error why_not_taken(const Verification& verification);

// What the outputs of a model are on some samples, and how far those of a changed one may be from
// them. The noise of a sample is a property of the source alone, so one change is held to the same
// bounds as many together.
class OutputJudge {
 public:
  // Keeps references: all of them must outlive it.
  static Result<OutputJudge> create(const std::shared_ptr<Runtime>& runtime, const Model& source,
                                    const std::vector<Sample>& samples);

  Result<Verification> judge(const std::vector<NamedTensors>& outputs, Numerics promise);

 private:
  OutputJudge(const std::shared_ptr<Runtime>& runtime, const Model& source,
              const std::vector<Sample>& samples)
      : runtime_(runtime), source_(source), samples_(samples) {}

  Status judge_by_noise(const std::vector<NamedTensors>& outputs, OutputDifference& difference,
                        Verification& verification);
  Status measure_noise();
  Status add_noise_of(const Model& model, const std::vector<Sample>& samples, double down_to_db);

  const std::shared_ptr<Runtime>& runtime_;
  const Model& source_;
  const std::vector<Sample>& samples_;
  std::vector<NamedTensors> expected_;
  bool has_half_ = false;
  std::map<std::string, std::vector<double>> own_sqnr_db_;  // by output, one number per sample
};

Result<Verification> verify(const std::shared_ptr<Runtime>& runtime, const Model& before,
                            const Model& after, const std::vector<Sample>& samples,
                            Numerics promise);

}  // namespace hone
