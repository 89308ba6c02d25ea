#include "measure/trace/files.h"

#include <algorithm>
#include <string>
#include <vector>

#include "measure/trace/device.h"
#include "measure/trace/ort_profile.h"
#include "measure/trace/qhas.h"
#include "measure/trace/qnn_csv.h"

namespace hone {
namespace {

// ONNX Runtime's WebGPU EP has the GPU note when each dispatch began and ended, and puts that into
// the profile. The host's times are those of queueing: one node, whose dispatch flushed the queue,
// had 73 % of an inference.
OpTrace with_dispatches(OpTrace trace, std::span<const std::string_view> profiles) {
  const std::vector<DeviceRun> runs = webgpu_runs(profiles);
  if (runs.empty() || !trace.has_operators()) return trace;
  trace.metadata.tracing_backend = "webgpu";
  const auto warmup = static_cast<std::size_t>(trace.metadata.warmup_excluded);
  const auto measured = std::span(runs).subspan(std::min(warmup, runs.size()));
  return with_device_times(std::move(trace), measured, "WebGpuExecutionProvider");
}

}  // namespace

Result<OpTrace> read_qnn_csv(const Path& path, const TraceOptions& options,
                             const std::optional<FileSnapshot>& before) {
  // Taken before the file is mapped: what is appended meanwhile belongs to the session too.
  const FileSnapshot now = take_snapshot(path);
  HONE_TRY(const Blob blob, map_file(path));
  const std::uint64_t old = before ? bytes_from_before(*before, now) : 0;
  OpTrace trace = parse_qnn_csv(blob.view(), options, old);
  if (old > 0 && old == now.bytes && blob.size() == old) {
    trace.metadata.unreadable = 0;
    trace =
        no_trace(std::move(trace), TraceStatus::no_data,
                 "the file was there before the session and did not change: the EP traced nothing");
  } else if (old > 0) {
    trace.notes.push_back("the file was there before the session: its first " +
                          std::to_string(old) + " bytes were not read");
  }
  trace.artifacts["csv"] = path.string();
  return trace;
}

Result<OpTrace> read_qhas(const Path& path, const TraceOptions& options) {
  HONE_TRY(const Blob blob, map_file(path));
  OpTrace trace = parse_qhas(blob.view(), options);
  trace.artifacts["qhas"] = path.string();
  return trace;
}

OpTrace fall_back_to(OpTrace basic, std::string reason, const std::string& detail) {
  if (!basic.has_operators()) return basic;
  basic.status = TraceStatus::basic_fallback;
  basic.fallback_reason = std::move(reason);
  if (!detail.empty()) basic.notes.push_back(detail);
  return basic;
}

Result<OpTrace> read_ort_profiles(std::span<const Path> paths, const TraceOptions& options) {
  std::vector<Blob> blobs;
  std::vector<std::string_view> texts;
  for (const Path& path : paths) {
    HONE_TRY(Blob blob, map_file(path));
    texts.push_back(blob.view());
    blobs.push_back(std::move(blob));
  }
  OpTrace trace = with_dispatches(parse_ort_profiles(texts, options), texts);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    trace.artifacts[i == 0 ? "profile" : "profile_" + std::to_string(i + 1)] = paths[i].string();
  }
  return trace;
}

}  // namespace hone
