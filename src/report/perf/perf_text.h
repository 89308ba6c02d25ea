#pragma once
// A perf result for people: what ran where, how fast, and what to know about the numbers.

#include <cstdint>
#include <string>

#include "record/perf.h"

namespace hone {

struct PerfTextOptions {
  std::int64_t top = 5;  // operators of a trace
  bool shows_memory = true;
};

std::string describe_perf(const PerfResult& result, const PerfTextOptions& options = {});

}  // namespace hone
