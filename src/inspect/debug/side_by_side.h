#pragma once
// Runs the float model and the quantized one on the same samples, step by step, and adds up how far
// their tensors are apart.

#include "inspect/debug/debug.h"
#include "inspect/debug/steps.h"
#include "inspect/debug/tracks.h"

namespace hone {

struct DebuggedModels {
  Model& original;
  Model& quantized;
  Model& on_device;  // the quantized one as it is, where that one was changed to be looked at
};

class SideBySide {
 public:
  // REQUIRES: all of them outlive this.
  SideBySide(std::shared_ptr<Runtime> runtime, const DebuggedModels& models, Tracks& tracks,
             const DebugOptions& options, const DebugProgress& progress)
      : runtime_(std::move(runtime)),
        float_model_(models.original),
        quantized_model_(models.quantized),
        device_model_(models.on_device),
        tracks_(tracks),
        options_(options),
        progress_(progress) {}

  // Fills the tracks' sums, and of the result: samples, stretches, what was perturbed, times.
  Status run(SampleStream& samples, DebugResult& result);

 private:
  using Chunk = std::vector<std::size_t>;              // of tracks
  using Outputs = std::map<std::string, std::string>;  // a digest by name

  bool has_device() const;
  Status measure_sizes(const Sample& first);
  Status look_at_device(const Sample& first);
  void plan_chunks(std::uint64_t budget);
  Status plan_steps();
  Status plan_device();
  Status run_all(SampleStream& samples, DebugResult& result);
  Status run_sample(const Sample& sample, DebugResult& result);
  Status run_device(const Sample& sample, std::size_t chunk, DebugResult& result);
  void compare(Track& track);
  void compare_device(Track& track, const SteppedModel& device);
  const Value* device_value(const Value* value) const;  // the same there; null: there is none
  void compare_outputs(const SteppedModel* device);
  void check_outputs(const SteppedModel& device, DebugResult& result) const;
  SessionSettings cpu_settings() const;
  void add_times(DebugResult& result) const;

  std::shared_ptr<Runtime> runtime_;
  Model& float_model_;
  Model& quantized_model_;
  Model& device_model_;
  Tracks& tracks_;
  const DebugOptions& options_;
  const DebugProgress& progress_;
  std::vector<Chunk> chunks_;
  std::optional<SteppedModel> float_steps_;
  std::optional<SteppedModel> quantized_steps_;
  std::vector<SteppedModel> device_;  // the whole model for each chunk: what it shows differs
  Outputs device_outputs_;            // of the first sample, when nothing is looked at
  std::optional<Placement> device_placement_;
  std::uint64_t samples_ = 0;
  std::chrono::nanoseconds sizing_{0};  // running for the sizes of tensors
  std::chrono::nanoseconds comparing_{0};
};

}  // namespace hone
