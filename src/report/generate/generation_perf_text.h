#pragma once
// `hone perf --generate` as text.

#include <string>

#include "record/generation_perf.h"

namespace hone {

std::string describe_generation_perf(const GenerationPerf& perf);

}  // namespace hone
