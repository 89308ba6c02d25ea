#pragma once
// A trace as Chrome trace events, which Perfetto (ui.perfetto.dev) and chrome://tracing open.

#include "base/json.h"
#include "record/trace.h"

namespace hone {

// One inference: operators in the order they ran, each with its typical time, the gaps spread
// evenly between them. A track per provider and partition. It is a drawing of the record and not a
// recording: an operator's place in time is computed, its length and its order are measured.
Json perfetto_trace(const OpTrace& trace);

}  // namespace hone
