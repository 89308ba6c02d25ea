#pragma once
// How fast a model runs on a target, where its nodes ran and where the time goes: from what a user
// says to the whole result.

#include "flow/watch.h"
#include "measure/perf.h"
#include "record/where.h"

namespace hone {

constexpr auto enum_names(TraceLevel) {
  return std::to_array<EnumName<TraceLevel>>(
      {{TraceLevel::basic, "basic"}, {TraceLevel::detail, "detail"}});
}

struct PerfOrder {
  static constexpr std::string_view job = "perf";
  using Answer = PerfResult;

  std::string model;  // a file, or a folder with one
  std::int64_t iterations = 100;
  std::optional<std::int64_t> warmup;  // null: ten, or two seconds of them
  std::optional<double> duration_s;    // in the place of a number of runs
  std::int64_t batch_size = 0;
  std::vector<std::int64_t> batches;  // a sweep over them; empty: batch_size alone
  std::vector<std::int64_t> streams;  // likewise; empty: one
  std::int64_t sessions = 1;          // fresh processes
  double cool_down_s = 0;             // between two of them
  std::string input_data;
  std::string shape_config;
  std::int64_t samples = 4;
  std::uint64_t seed = 0;
  bool watches_hardware = false;
  std::optional<TraceLevel> tracing;
  std::string trace_folder;  // where what the tracer writes is kept; empty: it is not
  std::string qnn_sdk;
  std::int64_t timeout_s = 300;   // of opening, and of a block of runs
  std::int64_t most_seconds = 0;  // of everything; 0: no limit
  std::string repeat;             // the command line that repeats it, for the result
  Where where;
};
template <RecordOf<PerfOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("iterations", order.iterations);
  field("warmup", order.warmup);
  field("duration_s", order.duration_s);
  field("batch_size", order.batch_size);
  field("batches", order.batches);
  field("streams", order.streams);
  field("sessions", order.sessions);
  field("cool_down_s", order.cool_down_s);
  field("input_data", order.input_data);
  field("shape_config", order.shape_config);
  field("samples", order.samples);
  field("seed", order.seed);
  field("watches_hardware", order.watches_hardware);
  field("tracing", order.tracing);
  field("trace_folder", order.trace_folder);
  field("qnn_sdk", order.qnn_sdk);
  field("timeout_s", order.timeout_s);
  field("most_seconds", order.most_seconds);
  field("repeat", order.repeat);
  field("where", order.where);
}

// What is to be measured, once the model is known: for who shows it while it runs.
struct PerfBegun {
  std::string title;  // "model.onnx on qnn/npu"
  LoopPlan loop;
};

// What a watcher in the same process has besides.
struct PerfWatch {
  Watch watch{};
  // Called before anything is opened; what it returns is filled while the model is measured.
  std::function<PerfLive*(const PerfBegun&)> begin{};
  std::function<void(const std::string& warning)> warn{};  // what ONNX Runtime logs
  std::vector<Watcher> watchers{};                         // monitors besides ours
};

Result<PerfResult> measure_model(const PerfOrder& order, const PerfWatch& watch);
Result<PerfResult> measure_model(const PerfOrder& order, const Watch& watch);

}  // namespace hone
