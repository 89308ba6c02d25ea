#pragma once
// A trace for people: what it is, what it adds up to, and the operators that matter.

#include <cstdint>
#include <string>

#include "record/trace.h"

namespace hone {

struct TraceTextOptions {
  std::int64_t top = 15;    // operators shown
  std::size_t widest = 60;  // characters of a node's path; its end is kept
};

std::string describe_trace(const OpTrace& trace, const TraceTextOptions& options = {});

}  // namespace hone
