#pragma once
// Two models on the same samples, output by output.

#include "base/progress.h"
#include "record/eval.h"
#include "runtime/sample_stream.h"

namespace hone {

// One sample at a time: memory does not grow with their number but for a few numbers each. Fills
// `samples`, `outputs` and `notes` of the report. `seed` is the bootstrap's. `progress` is called
// with the samples done and, where it is known, their number.
Status compare_sessions(const Session& model, const Session& reference, SampleStream& samples,
                        std::uint64_t seed, const ByteProgress& progress, CompareReport& report);

}  // namespace hone
