#pragma once
// Runs the float model on samples, one at a time, and finds the range of each tensor. Memory does
// not grow with the number of samples: tensors are reduced inside the graph, histograms have bounds
// that are known before, and where whole tensors have to be looked at, so many at a time as fit a
// budget. Samples may differ in shape.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "runtime/sample_stream.h"
#include "transform/quantize/calibration_state.h"
#include "transform/quantize/settings.h"

namespace hone {

struct CalibrationPlan {
  std::vector<std::string> tensors;
  CalibrationMethod method = methods::minmax();
  MethodSettings settings{};
  std::size_t bins = 2048;
  std::uint64_t tap_bytes = 256ull << 20;    // of whole tensors that are alive together
  std::uint64_t output_bytes = 64ull << 20;  // of the model's outputs that are kept
  std::chrono::seconds between_saves{5};     // of what is known so far
};

struct MeasuredTensor {
  RealRange range;
  // The share of the range's width that would be missing had only one half of the samples been
  // there (the worse one). Unknown with fewer than two samples.
  std::optional<double> movement;
};

struct Calibration {
  std::map<std::string, MeasuredTensor> tensors;
  std::size_t samples = 0;
  // The model's outputs for the first samples, as far as they were run now.
  std::map<std::size_t, NamedTensors> outputs;
  std::chrono::nanoseconds in_run{0};  // spent inside of ONNX Runtime's Run
};

// Called after each sample with what is done so far, in runs of the model, and in all where known.
using CalibrationProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// What the state in a calibration file belongs to.
std::string calibration_key(const Model& model, const SampleStream& samples,
                            const CalibrationPlan& plan);

Result<Calibration> calibrate(const std::shared_ptr<Runtime>& runtime, const Model& model,
                              SampleStream& samples, const CalibrationPlan& plan,
                              CalibrationFile& file, const CalibrationProgress& progress = {});

// A range that would move by less is settled: a twentieth of its width is 0.4 dB of signal to
// noise.
constexpr double settled_movement = 0.05;

}  // namespace hone
