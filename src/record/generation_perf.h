#pragma once
// How long a person waits for a model that writes: until the first token, and for each after it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/perf_points.h"
#include "record/target.h"

namespace hone {

inline constexpr std::int64_t generation_perf_schema_version = 1;

// A prompt of so many tokens, and so many that are written after it.
struct GenerationSizes {
  std::int64_t prompt_tokens = 1;
  std::int64_t output_tokens = 1;
};
template <RecordOf<GenerationSizes> Self>
void for_each_field(Self& sizes, auto&& field) {
  field("prompt_tokens", sizes.prompt_tokens, Presence::required);
  field("output_tokens", sizes.output_tokens, Presence::required);
}

// Of one process: each time it was written once more.
struct GenerationSamples {
  GenerationSizes sizes;
  std::vector<double> first_token_ms;
  std::vector<double> step_ms;  // of all of them together
};
template <RecordOf<GenerationSamples> Self>
void for_each_field(Self& samples, auto&& field) {
  field("sizes", samples.sizes, Presence::required);
  field("first_token_ms", samples.first_token_ms);
  field("step_ms", samples.step_ms);
}

struct GenerationTrial {
  std::vector<GenerationSamples> samples;
  std::vector<std::string> parts;
  Target target;
  std::string runtime_version;
  double load_ms = 0;
  std::uint64_t cache_bytes_per_token = 0;
  std::vector<std::string> notes;
};
template <RecordOf<GenerationTrial> Self>
void for_each_field(Self& trial, auto&& field) {
  field("samples", trial.samples);
  field("parts", trial.parts);
  field("target", trial.target);
  field("runtime_version", trial.runtime_version);
  field("load_ms", trial.load_ms);
  field("cache_bytes_per_token", trial.cache_bytes_per_token);
  field("notes", trial.notes);
}

// Of all processes. Percentiles are of all steps, and null where there are too few for them.
struct GenerationPoint {
  GenerationSizes sizes;
  PerfSessions first_token;  // by the median of each process
  PerfSessions per_token;
  std::optional<double> p90_ms;
  std::optional<double> p95_ms;
  std::optional<double> p99_ms;
  std::optional<double> tokens_per_second;
  std::optional<double> prefill_tokens_per_second;
};
template <RecordOf<GenerationPoint> Self>
void for_each_field(Self& point, auto&& field) {
  field("sizes", point.sizes);
  field("first_token", point.first_token);
  field("per_token", point.per_token);
  field("p90_ms", point.p90_ms);
  field("p95_ms", point.p95_ms);
  field("p99_ms", point.p99_ms);
  field("tokens_per_second", point.tokens_per_second);
  field("prefill_tokens_per_second", point.prefill_tokens_per_second);
}

struct GenerationPerf {
  std::string model;
  std::vector<std::string> parts;
  Target target;
  std::string runtime_version;
  std::int64_t sessions = 0;  // fresh processes
  std::int64_t repeats = 0;   // in each, after one that does not count
  std::vector<GenerationPoint> points;
  std::uint64_t cache_bytes_per_token = 0;  // by which caches grow
  PerfSessions load;
  std::vector<std::string> notes;
  std::string repeat;
};
template <RecordOf<GenerationPerf> Self>
void for_each_field(Self& perf, auto&& field) {
  field("model", perf.model);
  field("parts", perf.parts);
  field("target", perf.target);
  field("runtime_version", perf.runtime_version);
  field("sessions", perf.sessions);
  field("repeats", perf.repeats);
  field("points", perf.points);
  field("cache_bytes_per_token", perf.cache_bytes_per_token);
  field("load", perf.load);
  field("notes", perf.notes);
  field("repeat", perf.repeat);
}

}  // namespace hone
