#pragma once
// QNN's profiling CSV, as the EP writes it with profiling_level detailed or optrace. Operators are
// counted in cycles of the accelerator; each inference brings its own time in microseconds, so each
// is converted by itself (the clock of the first one is no measure for the others).

#include <string_view>

#include "measure/trace/options.h"

namespace hone {

// Never fails: a text that cannot be read is a trace with status parse_failed, one without
// operators has no_data. `skip` bytes at the start belong to earlier sessions.
OpTrace parse_qnn_csv(std::string_view text, const TraceOptions& options, std::uint64_t skip = 0);

}  // namespace hone
