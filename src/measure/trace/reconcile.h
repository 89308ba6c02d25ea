#pragma once
// The tracer's times made those of the untraced run. A tracer slows down what it traces: ONNX
// Runtime's profiler adds 2 to 5 us to every node (it builds strings between reading the clock), so
// a model of many small nodes runs 2.7 to 30 times slower under it and its smallest nodes look as
// expensive as real work. So the traced time is never a latency, and small operators need
// correcting.

#include <optional>

#include "record/trace.h"

namespace hone {

struct UntracedRun {
  double median_us = 0;                      // of the same inferences without a tracer; above 0
  std::optional<double> node_floor_us = {};  // measured cost of the profiler per node
};

// Takes the tracer's floor off every execution of an operator, then, if the operators are still
// longer than the untraced run, scales them down to it; what they do not fill are gaps. Afterwards
//   accounted_us + gaps_us == total_us == median_us.
// Nothing ever grows, and operators are in the order of their new shares. A trace without
// operators, one that was reconciled before, and a median that is no time leave the trace as it is.
//
// The floor is the one handed in, else the time of the fastest 5 % of operators, but at most what
// the traced run cost more than the untraced one, per node. Cycle counters (QNN) have none.
OpTrace reconcile(OpTrace trace, const UntracedRun& untraced);

}  // namespace hone
