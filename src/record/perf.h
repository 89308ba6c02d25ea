#pragma once
// What `hone perf` says: how fast one model runs on one target, and all the samples behind it.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/hw_monitor.h"
#include "record/io_binding.h"
#include "record/load.h"
#include "record/machine.h"
#include "record/perf_points.h"
#include "record/target.h"
#include "record/trace.h"

namespace hone {

inline constexpr std::int64_t perf_schema_version = 1;

struct PerfBenchmarkInfo {
  std::string runtime = "onnxruntime";
  std::optional<std::string> runtime_version;
  std::string model_id;            // as it was asked for
  std::string running_model_path;  // what the session opened
  std::string device;              // cpu, gpu or npu
  std::string ep;                  // the short name
  std::map<std::string, std::string> ep_options;
  std::map<std::string, std::string> session_options;
  std::optional<std::int64_t> threads;
  IoBinding io_binding = IoBinding::automatic;
  std::int64_t streams = 1;      // sessions that ran at once
  std::uint64_t iterations = 0;  // measured, without warm-up
  std::uint64_t warmup = 0;      // iterations before them: those asked for and those found
  std::optional<double> duration_sec;
  std::optional<std::int64_t> batch_size;            // asked for
  std::optional<std::int64_t> effective_batch_size;  // what was fed
  std::optional<std::string> input_data;             // the file; null: seeded samples
  std::optional<std::uint64_t> seed;
  std::string timestamp;  // ISO 8601, UTC
};

template <RecordOf<PerfBenchmarkInfo> Self>
void for_each_field(Self& info, auto&& field) {
  field("runtime", info.runtime);
  field("runtime_version", info.runtime_version);
  field("model_id", info.model_id);
  field("running_model_path", info.running_model_path);
  field("device", info.device);
  field("ep", info.ep);
  field("ep_options", info.ep_options);
  field("session_options", info.session_options);
  field("threads", info.threads);
  field("io_binding", info.io_binding);
  field("streams", info.streams);
  field("iterations", info.iterations);
  field("warmup", info.warmup);
  field("duration_sec", info.duration_sec);
  field("batch_size", info.batch_size);
  field("effective_batch_size", info.effective_batch_size);
  field("input_data", info.input_data);
  field("seed", info.seed);
  field("timestamp", info.timestamp);
}

struct PerfModelInfo {
  std::vector<std::string> input_names;
  // Per input the size of each dimension, its symbol, or null.
  std::vector<std::vector<Json>> input_shapes;
  std::vector<std::string> input_types;
  std::vector<std::string> output_names;
  std::vector<std::vector<Json>> output_shapes;
  std::vector<std::string> output_types;
  std::optional<std::string> precision;
};

template <RecordOf<PerfModelInfo> Self>
void for_each_field(Self& info, auto&& field) {
  field("input_names", info.input_names);
  field("input_shapes", info.input_shapes);
  field("input_types", info.input_types);
  field("output_names", info.output_names);
  field("output_shapes", info.output_shapes);
  field("output_types", info.output_types);
  field("precision", info.precision);
}

// Of raw_samples_ms. A percentile the sample does not support is null, and `not_supported` says
// what it needs.
struct PerfLatency {
  std::optional<double> mean;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> p50;
  std::optional<double> p90;
  std::optional<double> p95;
  std::optional<double> p99;
  std::optional<double> deviation;  // of the population; null for fewer than two samples
  std::optional<double> warmup_mean;
  std::vector<std::string> not_supported;
};

template <RecordOf<PerfLatency> Self>
void for_each_field(Self& latency, auto&& field) {
  field("mean", latency.mean);
  field("min", latency.min);
  field("max", latency.max);
  field("p50", latency.p50);
  field("p90", latency.p90);
  field("p95", latency.p95);
  field("p99", latency.p99);
  field("std", latency.deviation);
  field("warmup_mean", latency.warmup_mean);
  field("not_supported", latency.not_supported);
}

struct PerfThroughput {
  std::optional<double> samples_per_sec;  // with the effective batch
  std::optional<double> batches_per_sec;
};

template <RecordOf<PerfThroughput> Self>
void for_each_field(Self& throughput, auto&& field) {
  field("samples_per_sec", throughput.samples_per_sec);
  field("batches_per_sec", throughput.batches_per_sec);
}

// What a user waits for before the first result.
struct PerfColdStart {
  std::optional<double> runtime_ms;  // loading ONNX Runtime and the EPs
  std::optional<double> load_ms;     // opening the session, compiling included
  std::optional<double> compile_ms;  // of that, the EP's compiler, where it is told apart
  std::optional<double> first_inference_ms;
};

template <RecordOf<PerfColdStart> Self>
void for_each_field(Self& cold, auto&& field) {
  field("runtime_ms", cold.runtime_ms);
  field("load_ms", cold.load_ms);
  field("compile_ms", cold.compile_ms);
  field("first_inference_ms", cold.first_inference_ms);
}

enum class Steadiness {
  steady,
  unsteady,  // the level moved after the warm-up
  unknown,   // too few iterations to tell
};

constexpr auto enum_names(Steadiness) {
  return std::to_array<EnumName<Steadiness>>({{Steadiness::steady, "steady"},
                                              {Steadiness::unsteady, "unsteady"},
                                              {Steadiness::unknown, "unknown"}});
}

struct PerfSteadyState {
  Steadiness state = Steadiness::unknown;
  std::string reason;
  std::uint64_t warmup_iterations = 0;  // before steady state, by change point
  std::optional<double> time_to_steady_ms;
  std::optional<double> spike_rate;  // the share of iterations far above the level, 0 to 1
};

template <RecordOf<PerfSteadyState> Self>
void for_each_field(Self& steady, auto&& field) {
  field("state", steady.state);
  field("reason", steady.reason);
  field("warmup_iterations", steady.warmup_iterations);
  field("time_to_steady_ms", steady.time_to_steady_ms);
  field("spike_rate", steady.spike_rate);
}

// Resident memory of this process; 1 MB is 2^20 bytes.
struct PerfMemory {
  std::optional<double> rss_baseline_mb{};         // before the session
  std::optional<double> rss_after_compile_mb{};    // after it was opened
  std::optional<double> rss_after_inference_mb{};  // after the last run
  std::optional<double> rss_peak_mb{};
  std::optional<std::string> peak_source{};  // "kernel" (every moment) or "sampled"
  std::optional<double> rss_model_load_delta_mb{};
  std::optional<double> rss_inference_delta_mb{};
  std::optional<double> rss_total_delta_mb{};
};

template <RecordOf<PerfMemory> Self>
void for_each_field(Self& memory, auto&& field) {
  field("rss_baseline_mb", memory.rss_baseline_mb);
  field("rss_after_compile_mb", memory.rss_after_compile_mb);
  field("rss_after_inference_mb", memory.rss_after_inference_mb);
  field("rss_peak_mb", memory.rss_peak_mb);
  field("peak_source", memory.peak_source);
  field("rss_model_load_delta_mb", memory.rss_model_load_delta_mb);
  field("rss_inference_delta_mb", memory.rss_inference_delta_mb);
  field("rss_total_delta_mb", memory.rss_total_delta_mb);
}

// Floats below the smallest normal one, with which CPUs compute many times slower.
struct PerfDenormals {
  std::uint64_t weights = 0;  // that are denormal
  std::uint64_t of = 0;       // float weights
  // Of runs as it is and with session.set_denormal_as_zero=1 in turns, where that was tried.
  std::optional<double> p50_as_is_ms;
  std::optional<double> p50_as_zero_ms;
  bool is_beyond_noise = false;  // every block of the latter was faster than any of the former
};

template <RecordOf<PerfDenormals> Self>
void for_each_field(Self& denormals, auto&& field) {
  field("weights", denormals.weights);
  field("of", denormals.of);
  field("p50_as_is_ms", denormals.p50_as_is_ms);
  field("p50_as_zero_ms", denormals.p50_as_zero_ms);
  field("beyond_noise", denormals.is_beyond_noise);
}

// One batch size with one number of streams.
struct PerfPoint {
  std::int64_t batch_size = 1;  // what was fed
  std::int64_t streams = 1;
  std::uint64_t iterations = 0;  // of all streams together
  PerfLatency latency_ms;
  PerfThroughput throughput;
  std::optional<PerfEnergy> energy;
  std::optional<std::string> error;  // why there are no figures
};

template <RecordOf<PerfPoint> Self>
void for_each_field(Self& point, auto&& field) {
  field("batch_size", point.batch_size, Presence::required);
  field("streams", point.streams, Presence::required);
  field("iterations", point.iterations);
  field("latency_ms", point.latency_ms);
  field("throughput", point.throughput);
  field("energy", point.energy);
  field("error", point.error, Presence::when_given);
}

struct PerfResult {
  PerfBenchmarkInfo benchmark_info;
  PerfModelInfo model_info;
  PerfLatency latency_ms;
  PerfThroughput throughput;
  std::vector<double> raw_samples_ms;     // steady state: what the statistics are made of
  std::vector<double> warmup_samples_ms;  // all iterations before it
  std::optional<PerfSessions> sessions;   // of several fresh processes, where those were asked for
  std::vector<PerfPoint> points;          // of a sweep over batches and streams, this one the first
  PerfColdStart cold_start;
  PerfSteadyState steady_state;
  std::optional<Placement> placement;
  std::optional<PerfMemory> memory;
  Load load;  // of other work, while it was measured
  PerfDenormals denormals;
  std::optional<PerfTransfers> transfers;
  std::optional<PerfEnergy> energy;
  std::optional<HwMonitorRecord> hw_monitor;
  std::optional<OpTrace> op_trace;
  std::optional<EpProof> ep_proof;
  std::optional<std::map<std::string, Json>> monitors;  // what those of an embedder say, by name
  Machine machine;
  std::vector<std::string> notes;
  std::optional<std::string> repeat;  // the command line that does it again
};

template <RecordOf<PerfResult> Self>
void for_each_field(Self& result, auto&& field) {
  field("benchmark_info", result.benchmark_info);
  field("model_info", result.model_info);
  field("latency_ms", result.latency_ms);
  field("throughput", result.throughput);
  field("raw_samples_ms", result.raw_samples_ms);
  field("warmup_samples_ms", result.warmup_samples_ms);
  field("sessions", result.sessions, Presence::when_given);
  field("points", result.points);
  field("cold_start", result.cold_start);
  field("steady_state", result.steady_state);
  field("placement", result.placement);
  field("memory", result.memory);
  field("load", result.load);
  field("denormals", result.denormals);
  field("transfers", result.transfers, Presence::when_given);
  field("energy", result.energy, Presence::when_given);
  field("hw_monitor", result.hw_monitor);
  field("op_trace", result.op_trace);
  field("ep_proof", result.ep_proof, Presence::when_given);
  field("monitors", result.monitors, Presence::when_given);
  field("machine", result.machine);
  field("notes", result.notes);
  field("repeat", result.repeat);
}

}  // namespace hone
