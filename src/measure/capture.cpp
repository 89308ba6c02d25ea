#include "measure/capture.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/folder.h"
#include "measure/trace/files.h"

namespace hone {
namespace {

OpTrace without_data(TraceSource source, std::string backend, std::string reason) {
  OpTrace trace;
  trace.metadata.source = source;
  trace.metadata.tracing_backend = std::move(backend);
  return no_trace(std::move(trace), TraceStatus::no_data, std::move(reason));
}

OpTrace readable(Result<OpTrace> trace, OpTrace otherwise) {
  if (trace) return std::move(*trace);
  const Error& error = trace.error();
  return no_trace(std::move(otherwise), TraceStatus::parse_failed,
                  error.cause.empty() ? error.what : error.what + ": " + error.cause);
}

}  // namespace

TraceOptions trace_options(const ClosedWindow& window, const NodeTypes& node_types) {
  TraceOptions options;
  options.node_types = node_types;
  if (window.counts) {
    options.warmup = window.counts->warmup;
    options.inferences = window.counts->warmup + window.counts->measured;
  }
  return options;
}

OrtProfileCapture::OrtProfileCapture(const MonitorSettings& settings)
    : prefix_(std::filesystem::absolute(settings.folder) / "ort_profile"),
      model_(settings.model),
      node_types_(settings.node_types) {}

MonitorOptions OrtProfileCapture::session_options() const {
  return {{std::string(ort_profile_option), prefix_.string()}};
}

// The session appends the time to the prefix: "ort_profile_2025-01-31_12-00-00_123.json".
std::vector<Path> OrtProfileCapture::profiles() const {
  std::vector<Path> found;
  for (const FolderEntry& entry : list_folder(prefix_.parent_path()).value_or({})) {
    const bool is_ours =
        entry.name.starts_with(prefix_.filename().string()) && entry.name.ends_with(".json");
    if (is_ours) found.push_back(entry.path);
  }
  return found;
}

std::vector<Path> OrtProfileCapture::written() const {
  std::vector<Path> made;
  std::ranges::set_difference(profiles(), before_, std::back_inserter(made));
  return made;
}

OpTrace OrtProfileCapture::read(const ClosedWindow& window) const {
  const std::vector<Path> made = written();
  OpTrace none = without_data(TraceSource::ort_profile, "onnxruntime",
                              "ONNX Runtime wrote no profile '" + prefix_.string() + "_*.json'");
  if (made.empty()) return none;
  OpTrace trace = readable(read_ort_profiles(made, trace_options(window, node_types_)), none);
  trace.metadata.model = model_.string();
  return trace;
}

QnnCsvCapture::QnnCsvCapture(const MonitorSettings& settings, std::string level,
                             std::string provider)
    : csv_(std::filesystem::absolute(settings.folder) / "qnn_profile.csv"),
      model_(settings.model),
      level_(std::move(level)),
      provider_(std::move(provider)),
      node_types_(settings.node_types) {}

MonitorOptions QnnCsvCapture::provider_options() const {
  return {{"profiling_level", level_}, {"profiling_file_path", csv_.string()}};
}

OpTrace QnnCsvCapture::read(const ClosedWindow& window) const {
  OpTrace none = without_data(TraceSource::qnn_csv, "qnn",
                              "the EP wrote no profiling CSV '" + csv_.string() +
                                  "': it may have left all nodes to another EP");
  if (!take_snapshot(csv_).exists) return none;
  TraceOptions options = trace_options(window, node_types_);
  options.provider = provider_;
  OpTrace trace = readable(read_qnn_csv(csv_, options, before_), none);
  trace.metadata.model = model_.string();
  return trace;
}

}  // namespace hone
