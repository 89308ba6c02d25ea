#pragma once
// What every trace parser is told, and how a trace that is none is made.

#include <cstdint>
#include <optional>
#include <string>

#include "measure/trace/names.h"
#include "record/trace.h"

namespace hone {

struct TraceOptions {
  std::int64_t warmup = 0;                        // inferences at the start that do not count
  std::optional<std::int64_t> inferences{};       // how many there must be, warm-up included
  NodeTypes node_types{};                         // of the model that ran
  std::string provider = "QNNExecutionProvider";  // who wrote a file in QNN's format
};

// A trace that holds nothing but the reason.
inline OpTrace no_trace(OpTrace trace, TraceStatus status, std::string reason) {
  trace.status = status;
  trace.error = std::move(reason);
  trace.operators.clear();
  return trace;
}

}  // namespace hone
