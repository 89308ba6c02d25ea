#pragma once
// Traces from files: of a tracer, or as hone writes them.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/trace.h"
#include "record/where.h"

namespace hone {

struct TraceOrder {
  std::string qnn_csv{};
  std::string qhas{};  // a broken one is stood in for by the CSV
  std::vector<std::string> ort_profiles{};
  std::string model{};  // what ran, a file or a folder; empty: node types stay unknown
  std::int64_t warmup = 0;
  std::optional<double> latency_us{};  // the median without a tracer; times are reconciled with it
  std::optional<double> node_floor_us{};
  Host host{};  // whose cache has what checkpoints were exported to
};

// One kind of trace from what a tracer wrote. A file that cannot be read is bad input, whatever the
// reason: it is the caller's to mend.
Result<OpTrace> trace_from_files(const TraceOrder& order);

// From a file of hone's, a trace or the report of a measurement that holds one.
Result<OpTrace> trace_from_report(const std::string& path, const TraceOrder& order = {});

}  // namespace hone
