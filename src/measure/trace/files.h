#pragma once
// Traces from files that are there: of a session that has just ended, or from last year.

#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "measure/trace/options.h"
#include "measure/trace/snapshot.h"

namespace hone {

// Fail only where a file cannot be opened at all. What is in it and cannot be read is a trace whose
// status and error say so. The paths become the trace's artifacts.

// With `before`, the snapshot of the file from before the session: a file that did not change since
// has no_data, and rows that were there are not read again.
Result<OpTrace> read_qnn_csv(const Path& path, const TraceOptions& options = {},
                             const std::optional<FileSnapshot>& before = {});
Result<OpTrace> read_qhas(const Path& path, const TraceOptions& options = {});
// The basic trace, marked as what stands in for the detailed one; `reason` is a word scripts know
// ("sdk_missing", "viewer_failed", "qhas_parse_failed"), `detail` what happened. A trace without
// operators cannot stand in for anything and keeps its own status.
OpTrace fall_back_to(OpTrace basic, std::string reason, const std::string& detail);
// One profile of a session, or one per run in their order.
Result<OpTrace> read_ort_profiles(std::span<const Path> paths, const TraceOptions& options = {});

}  // namespace hone
