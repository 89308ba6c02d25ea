#pragma once
// What a measurement shows beyond one session: several fresh processes, other batches and streams,
// what it takes to move data, and what it takes of energy.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

// One fresh process of several.
struct PerfSession {
  double p50_ms = 0;
  std::uint64_t iterations = 0;
  std::optional<double> load_ms{};
  std::optional<double> first_inference_ms{};
};

template <RecordOf<PerfSession> Self>
void for_each_field(Self& session, auto&& field) {
  field("p50_ms", session.p50_ms, Presence::required);
  field("iterations", session.iterations);
  field("load_ms", session.load_ms);
  field("first_inference_ms", session.first_inference_ms);
}

// What they show of the latency, which one of them cannot tell: sessions are the sample.
struct PerfSessions {
  std::vector<PerfSession> sessions;
  double cool_down_s = 0;            // between two of them
  std::optional<double> latency_ms;  // the geometric mean of their medians
  std::vector<double> interval_ms;   // of it, low and high, 95 %; empty for one session
  std::optional<double> deviation;   // between sessions, as a share
  std::optional<double> spread;      // by how much the slowest is above the fastest, as a share
};

template <RecordOf<PerfSessions> Self>
void for_each_field(Self& sessions, auto&& field) {
  field("sessions", sessions.sessions);
  field("cool_down_s", sessions.cool_down_s);
  field("latency_ms", sessions.latency_ms);
  field("interval_ms", sessions.interval_ms);
  field("deviation", sessions.deviation);
  field("spread", sessions.spread);
}

// What the device itself says it used while it was measured, idle power included.
struct PerfEnergy {
  std::string source;  // "nvidia0: total energy counter"
  double mean_watts = 0;
  double joules_per_inference = 0;
  std::optional<double> joules_per_sample{};  // with the effective batch
  double seconds = 0;                         // over which it was counted
};

template <RecordOf<PerfEnergy> Self>
void for_each_field(Self& energy, auto&& field) {
  field("source", energy.source);
  field("mean_watts", energy.mean_watts);
  field("joules_per_inference", energy.joules_per_inference);
  field("joules_per_sample", energy.joules_per_sample);
  field("seconds", energy.seconds);
}

// Runs in which nothing moves and runs in which inputs and outputs cross, in turns.
struct PerfTransfers {
  double p50_device_ms = 0;
  double p50_crossing_ms = 0;
  double transfer_ms = 0;        // the difference
  bool is_beyond_noise = false;  // every block that crosses was slower than any that does not
};

template <RecordOf<PerfTransfers> Self>
void for_each_field(Self& transfers, auto&& field) {
  field("p50_device_ms", transfers.p50_device_ms);
  field("p50_crossing_ms", transfers.p50_crossing_ms);
  field("transfer_ms", transfers.transfer_ms);
  field("beyond_noise", transfers.is_beyond_noise);
}

}  // namespace hone
