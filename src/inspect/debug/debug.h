#pragma once
// Which tensors quantization damaged: the float model and the quantized one run side by side on the
// same samples, and every tensor that was rounded is looked at.

#include <functional>
#include <memory>

#include "record/debug.h"
#include "runtime/sample_stream.h"

namespace hone {

struct DebugOptions {
  std::uint64_t memory_bytes = 128ull << 20;  // of tensors that are looked at together
  std::int64_t threads = 0;                   // of one operator; 0: ONNX Runtime decides
  // Where the quantized model runs as well. On the CPU nothing is run twice.
  SessionSettings device{};
};

// Called after each step of each sample with the steps that are done so far, and in all where that
// is known.
using DebugProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Both models are run as they are written, without optimizations, on the CPU EP; memory is that of
// the models and the budget, whatever the number of samples. Changes neither model. What has no
// counterpart or cannot be looked at is listed in the result.
Result<DebugResult> debug_models(const std::shared_ptr<Runtime>& runtime, const Model& float_model,
                                 const Model& quantized_model, SampleStream& samples,
                                 const DebugOptions& options, const DebugProgress& progress = {});

}  // namespace hone
