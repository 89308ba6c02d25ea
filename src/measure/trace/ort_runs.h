#pragma once
// The inferences in profiles of ONNX Runtime: which events belong to which run. Events are neither
// in the order of their start in every version, nor does an event name its run, so runs are windows
// of time.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "measure/trace/options.h"
#include "measure/trace/ort_events.h"

namespace hone {

// What the events of one operator have in common.
struct OrtOperator {
  std::string name;  // without "_kernel_time"
  std::string op_type;
  std::string provider;
  std::string parent_name;
  std::optional<std::int64_t> node_index;
};

// One execution of an operator.
struct OrtPiece {
  std::uint32_t op = 0;  // in OrtRuns::operators
  OrtCategory category = OrtCategory::node;
  std::int64_t thread = 0;
  double start_us = 0;
  double duration_us = 0;

  double end_us() const { return start_us + duration_us; }
};

struct OrtRun {
  double start_us = 0;
  double duration_us = 0;
  std::int64_t thread = 0;
  std::vector<OrtPiece> pieces{};

  double end_us() const { return start_us + duration_us; }
};

struct OrtRuns {
  std::vector<OrtOperator> operators;
  std::vector<OrtRun> runs;  // those after the warm-up, in the order they started
  std::int64_t found = 0;    // runs, warm-up included
  std::int64_t events = 0;
  std::int64_t unreadable = 0;
  bool is_cut = false;          // more events than we read
  bool has_no_windows = false;  // a profile does not say where its run begins and ends
  std::string problem;          // why nothing could be read at all
};

// Each text is one profile with a clock of its own: one per session, or one per run.
OrtRuns read_runs(std::span<const std::string_view> profiles, std::int64_t warmup);

}  // namespace hone
