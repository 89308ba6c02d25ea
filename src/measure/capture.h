#pragma once
// The files in which a session leaves its trace: which options make it write them, and how to read
// them back once it is gone.

#include <string>
#include <vector>

#include "measure/monitor.h"
#include "measure/trace/options.h"
#include "measure/trace/snapshot.h"

namespace hone {

// ONNX Runtime's name for its profiler's option; the value is what the file's name begins with.
inline constexpr std::string_view ort_profile_option = "session.enable_profiling";

// Ours, for a worker: the library it records the GPU with, and the file in which it leaves that.
inline constexpr std::string_view cupti_option = "hone.cupti";
inline constexpr std::string_view gpu_activity_option = "hone.gpu_activity";

// What the parsers are told about the runs of a window.
TraceOptions trace_options(const ClosedWindow& window, const NodeTypes& node_types);

// A profile of ONNX Runtime.
class OrtProfileCapture {
 public:
  explicit OrtProfileCapture(const MonitorSettings& settings);
  MonitorOptions session_options() const;
  void before_open() { before_ = profiles(); }
  OpTrace read(const ClosedWindow& window) const;
  // The files this session wrote.
  std::vector<Path> written() const;

 private:
  std::vector<Path> profiles() const;

  Path prefix_;
  Path model_;
  NodeTypes node_types_;
  std::vector<Path> before_;
};

// A profiling CSV in QNN's format.
class QnnCsvCapture {
 public:
  // `level` is what the EP calls it; `provider` is the EP's own name.
  QnnCsvCapture(const MonitorSettings& settings, std::string level, std::string provider);
  MonitorOptions provider_options() const;
  void before_open() { before_ = take_snapshot(csv_); }
  OpTrace read(const ClosedWindow& window) const;
  const Path& csv() const { return csv_; }

 private:
  Path csv_;
  Path model_;
  std::string level_;
  std::string provider_;
  NodeTypes node_types_;
  FileSnapshot before_;
};

}  // namespace hone
