#pragma once
// Where the time of an inference goes, operator by operator: one record for every EP and every
// tracer. The times are the tracer's until the trace is reconciled with an untraced run
// (measure/trace/reconcile.h); only then may they be read as shares of the latency.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t trace_schema_version = 1;

enum class TraceStatus {
  ok,
  no_data,         // nothing was traced, or what is there is older than the session
  parse_failed,    // something was traced, and it cannot be read
  basic_fallback,  // detail was asked for; this is the basic trace, and fallback_reason says why
  not_run,         // nothing was traced yet
};

constexpr auto enum_names(TraceStatus) {
  return std::to_array<EnumName<TraceStatus>>({{TraceStatus::ok, "ok"},
                                               {TraceStatus::no_data, "no_data"},
                                               {TraceStatus::parse_failed, "parse_failed"},
                                               {TraceStatus::basic_fallback, "basic_fallback"},
                                               {TraceStatus::not_run, "not_run"}});
}

enum class TraceSource { qnn_csv, qhas, ort_profile };

constexpr auto enum_names(TraceSource) {
  return std::to_array<EnumName<TraceSource>>({{TraceSource::qnn_csv, "qnn_csv"},
                                               {TraceSource::qhas, "qhas"},
                                               {TraceSource::ort_profile, "ort_profile"}});
}

// What stands for all samples of an operator. Cycle counters are averaged; wall-clock times take
// the median, because one pause of the machine lasts longer than most operators.
enum class TraceStatistic { mean, median };

constexpr auto enum_names(TraceStatistic) {
  return std::to_array<EnumName<TraceStatistic>>(
      {{TraceStatistic::mean, "mean"}, {TraceStatistic::median, "median"}});
}

// Whose clock the operators' times are of, and so what they are times of.
enum class TraceTimes {
  operators,  // the host's, on an EP that is done with an operator when its call returns
  device,     // the device's own
  blocking,   // the host's, made to wait for every kernel: its time, and that of its launch
  host,       // the host's: how long the EP takes to queue an operator, and no time of its own
};

constexpr auto enum_names(TraceTimes) {
  return std::to_array<EnumName<TraceTimes>>({{TraceTimes::operators, "operator"},
                                              {TraceTimes::device, "device"},
                                              {TraceTimes::blocking, "blocking"},
                                              {TraceTimes::host, "host"}});
}

// Who says what type an operator is of, from the most to the least reliable.
enum class TypeSource { onnx, ep, path, raw };

constexpr auto enum_names(TypeSource) {
  return std::to_array<EnumName<TypeSource>>({{TypeSource::onnx, "onnx"},
                                              {TypeSource::ep, "ep"},
                                              {TypeSource::path, "path"},
                                              {TypeSource::raw, "raw"}});
}

struct TraceMetadata {
  std::optional<std::string> model;
  std::optional<std::string> device;
  std::optional<std::string> ep;  // the provider most of the time is spent in
  TraceSource source = TraceSource::ort_profile;
  std::string tracing_level = "basic";     // or "detail"
  std::string tracing_backend;             // "qnn", "onnxruntime"
  std::optional<std::string> timestamp;    // ISO 8601, UTC
  std::int64_t num_samples = 0;            // inferences behind the numbers, without warm-up
  std::int64_t warmup_excluded = 0;        // inferences left out at the start
  std::optional<std::int64_t> partitions;  // graphs the EP runs, where the tracer tells them apart
  std::int64_t unreadable = 0;             // rows or events that were skipped
  TraceStatistic statistic = TraceStatistic::mean;
  TraceTimes times = TraceTimes::operators;
};

template <RecordOf<TraceMetadata> Self>
void for_each_field(Self& metadata, auto&& field) {
  field("num_samples", metadata.num_samples);
  field("warmup_excluded", metadata.warmup_excluded);
  field("model", metadata.model);
  field("device", metadata.device);
  field("ep", metadata.ep);
  field("source", metadata.source);
  field("tracing_level", metadata.tracing_level);
  field("tracing_backend", metadata.tracing_backend);
  field("timestamp", metadata.timestamp);
  field("partitions", metadata.partitions);
  field("unreadable", metadata.unreadable);
  field("statistic", metadata.statistic);
  field("times", metadata.times);
}

// What was done to the tracer's times to make them those of the untraced run.
struct TraceCorrection {
  double untraced_us = 0;    // the median latency without a tracer: what the sum is held to
  double floor_us = 0;       // taken off each execution of an operator
  std::string floor_source;  // "trace", "calibration" or "none"
  double scale = 1;          // what was left is multiplied by this; never above 1
  double removed_us = 0;     // of the operators' traced time, by both
  double removed_share = 0;  // of the operators' traced time, 0 to 1
};

template <RecordOf<TraceCorrection> Self>
void for_each_field(Self& correction, auto&& field) {
  field("untraced_us", correction.untraced_us);
  field("floor_us", correction.floor_us);
  field("floor_source", correction.floor_source);
  field("scale", correction.scale);
  field("removed_us", correction.removed_us);
  field("removed_share", correction.removed_share);
}

// What a GPU did in an inference, by its own clock. Copies are no kernels; both keep it busy.
struct TraceGpu {
  double kernels = 0;  // per inference
  double busy_us = 0;  // in which one of them ran, or data was copied
  double idle_us = 0;  // from the first one's start to the last one's end, in which none did
  double copies = 0;   // per inference
  double copy_us = 0;  // in which only data was copied
  double copy_bytes = 0;
  double unmatched_us = 0;  // of kernels that belong to no node
  // busy_us in the time of the untraced inference, 0 to 1, and whether that leaves more than a
  // fifth of it to the host, which launches kernels.
  std::optional<double> busy_share{};
  std::optional<bool> is_launch_bound{};
};

template <RecordOf<TraceGpu> Self>
void for_each_field(Self& gpu, auto&& field) {
  field("kernels", gpu.kernels);
  field("busy_us", gpu.busy_us);
  field("idle_us", gpu.idle_us);
  field("copies", gpu.copies);
  field("copy_us", gpu.copy_us);
  field("copy_bytes", gpu.copy_bytes);
  field("unmatched_us", gpu.unmatched_us);
  field("busy_share", gpu.busy_share);
  field("launch_bound", gpu.is_launch_bound);
}

// Per inference. accounted_us + gaps_us is total_us, but where operators run side by side (QHAS).
struct TraceSummary {
  std::optional<double> total_us;
  double accounted_us = 0;                // in operators
  std::optional<double> gaps_us;          // in none of them
  std::optional<double> untraced_share;   // gaps_us / total_us, 0 to 1
  std::optional<double> traced_total_us;  // with the tracer's own cost; not a latency
  // By how much the typical traced run was longer than its operators and gaps typically are: time
  // in which the machine did something else.
  std::optional<double> interrupted_us;
  std::optional<TraceCorrection> correction;
  std::map<std::string, double> provider_us;
  std::optional<TraceGpu> gpu;

  // QNN's CSV.
  std::optional<std::int64_t> hvx_threads;
  std::optional<double> accel_execute_cycles;
  std::optional<double> accel_execute_us;
  std::optional<double> rpc_execute_us;  // accelerator and the way there
  std::optional<double> qnn_execute_us;  // what the host waited

  // QHAS.
  std::optional<double> inference_us;
  std::optional<double> execute_us;
  std::optional<double> inf_per_s;
  std::optional<double> timeline_cycles;
  std::optional<double> utilization_pct;
  std::optional<std::int64_t> dram_read_bytes;
  std::optional<std::int64_t> dram_write_bytes;
  std::optional<std::int64_t> vtcm_read_bytes;
  std::optional<std::int64_t> vtcm_write_bytes;
  std::optional<std::int64_t> vtcm_peak_bytes;
  std::optional<std::int64_t> qnn_nodes;
  std::optional<std::int64_t> htp_nodes;
  std::optional<std::int64_t> unique_qnn_ops;
  std::optional<std::int64_t> unique_htp_ops;
};

template <RecordOf<TraceSummary> Self>
void for_each_field(Self& summary, auto&& field) {
  field("total_us", summary.total_us);
  field("accounted_us", summary.accounted_us);
  field("gaps_us", summary.gaps_us);
  field("untraced_share", summary.untraced_share);
  field("traced_total_us", summary.traced_total_us);
  field("interrupted_us", summary.interrupted_us);
  field("correction", summary.correction);
  field("provider_us", summary.provider_us);
  field("gpu", summary.gpu, Presence::when_given);
  field("hvx_threads", summary.hvx_threads, Presence::when_given);
  field("accel_execute_cycles", summary.accel_execute_cycles, Presence::when_given);
  field("accel_execute_us", summary.accel_execute_us, Presence::when_given);
  field("rpc_execute_us", summary.rpc_execute_us, Presence::when_given);
  field("qnn_execute_us", summary.qnn_execute_us, Presence::when_given);
  field("inference_us", summary.inference_us, Presence::when_given);
  field("execute_us", summary.execute_us, Presence::when_given);
  field("inf_per_s", summary.inf_per_s, Presence::when_given);
  field("timeline_cycles", summary.timeline_cycles, Presence::when_given);
  field("utilization_pct", summary.utilization_pct, Presence::when_given);
  field("dram_read_bytes", summary.dram_read_bytes, Presence::when_given);
  field("dram_write_bytes", summary.dram_write_bytes, Presence::when_given);
  field("vtcm_read_bytes", summary.vtcm_read_bytes, Presence::when_given);
  field("vtcm_write_bytes", summary.vtcm_write_bytes, Presence::when_given);
  field("vtcm_peak_bytes", summary.vtcm_peak_bytes, Presence::when_given);
  field("qnn_nodes", summary.qnn_nodes, Presence::when_given);
  field("htp_nodes", summary.htp_nodes, Presence::when_given);
  field("unique_qnn_ops", summary.unique_qnn_ops, Presence::when_given);
  field("unique_htp_ops", summary.unique_htp_ops, Presence::when_given);
}

// What an operator ran on the device.
struct TraceKernel {
  std::string name;
  double duration_us = 0;  // per inference
  double calls = 0;        // per inference
};

template <RecordOf<TraceKernel> Self>
void for_each_field(Self& kernel, auto&& field) {
  field("name", kernel.name);
  field("duration_us", kernel.duration_us);
  field("calls", kernel.calls);
}

struct TraceOperator {
  std::string name;                   // for people: the type, or the last part of the path
  std::string op_path;                // as in the model; what the runtime appended is stripped
  std::optional<std::int64_t> op_id;  // QNN's, unique inside its partition
  std::string op_type;
  TypeSource type_source = TypeSource::raw;
  double duration_us = 0;       // of samples_us, by metadata.statistic; without nested operators
  double percent_of_total = 0;  // of the time in operators
  double p90_us = 0;
  std::vector<double> samples_us;   // one per inference
  std::optional<double> traced_us;  // duration_us before it was reconciled
  double calls = 1;                 // executions per inference
  std::optional<std::string> provider;
  std::optional<std::int64_t> partition;
  std::optional<std::int64_t> node_index;           // ORT's, in the graph it runs
  std::optional<std::string> parent;                // op_path of the node this ran inside of
  std::optional<double> traced_start_us;            // from the start of a traced inference
  std::optional<double> host_us;                    // the host's, where duration_us is the device's
  std::optional<std::vector<TraceKernel>> kernels;  // the longest first
  std::optional<double> dominant_path_us;
  std::optional<std::int64_t> dram_read_bytes;
  std::optional<std::int64_t> dram_write_bytes;
  std::optional<std::int64_t> vtcm_read_bytes;
  std::optional<std::int64_t> vtcm_write_bytes;
  std::optional<double> vtcm_hit_ratio;
  std::optional<std::int64_t> num_htp_ops;
};

template <RecordOf<TraceOperator> Self>
void for_each_field(Self& op, auto&& field) {
  field("name", op.name);
  field("op_path", op.op_path);
  field("op_id", op.op_id);
  field("op_type", op.op_type);
  field("type_source", op.type_source);
  field("duration_us", op.duration_us);
  field("percent_of_total", op.percent_of_total);
  field("p90_us", op.p90_us);
  field("samples_us", op.samples_us);
  field("traced_us", op.traced_us, Presence::when_given);
  field("calls", op.calls);
  field("provider", op.provider);
  field("partition", op.partition);
  field("node_index", op.node_index, Presence::when_given);
  field("parent", op.parent, Presence::when_given);
  field("traced_start_us", op.traced_start_us, Presence::when_given);
  field("host_us", op.host_us, Presence::when_given);
  field("kernels", op.kernels, Presence::when_given);
  field("dominant_path_us", op.dominant_path_us, Presence::when_given);
  field("dram_read_bytes", op.dram_read_bytes, Presence::when_given);
  field("dram_write_bytes", op.dram_write_bytes, Presence::when_given);
  field("vtcm_read_bytes", op.vtcm_read_bytes, Presence::when_given);
  field("vtcm_write_bytes", op.vtcm_write_bytes, Presence::when_given);
  field("vtcm_hit_ratio", op.vtcm_hit_ratio, Presence::when_given);
  field("num_htp_ops", op.num_htp_ops, Presence::when_given);
}

struct OpTrace {
  TraceStatus status = TraceStatus::not_run;
  std::optional<std::string> error;            // why there is no trace
  std::optional<std::string> fallback_reason;  // with basic_fallback only
  TraceMetadata metadata;
  TraceSummary summary;
  std::vector<TraceOperator> operators;          // the largest share first
  std::map<std::string, std::string> artifacts;  // what it was read from: "csv", "qhas", "profile"
  std::vector<std::string> notes;                // what a reader of the numbers should know

  bool has_operators() const {
    return status == TraceStatus::ok || status == TraceStatus::basic_fallback;
  }
};

template <RecordOf<OpTrace> Self>
void for_each_field(Self& trace, auto&& field) {
  field("metadata", trace.metadata, Presence::required);
  field("summary", trace.summary, Presence::required);
  field("operators", trace.operators, Presence::required);
  field("artifacts", trace.artifacts);
  field("status", trace.status, Presence::required);
  field("error", trace.error);
  field("fallback_reason", trace.fallback_reason);
  field("notes", trace.notes);
}

}  // namespace hone
