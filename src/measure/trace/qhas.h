#pragma once
// QHAS: the analysis the QNN profile viewer makes of an optrace, as JSON. One inference; an
// operator's time is summed over the accelerator's threads, so all of them together take longer
// than the inference.

#include <string_view>

#include "measure/trace/options.h"

namespace hone {

// Never fails: a text that cannot be read is a trace with status parse_failed. Only what a duration
// needs must be there; any other key that an SDK renamed is left unknown.
OpTrace parse_qhas(std::string_view text, const TraceOptions& options);

}  // namespace hone
