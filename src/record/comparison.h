#pragma once
// Two builds raced against each other: every sample that was taken, and what it shows.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/enum_names.h"
#include "record/fields.h"
#include "record/load.h"
#include "record/run_plan.h"

namespace hone {

inline constexpr std::int64_t comparison_schema_version = 1;

enum class Verdict { faster, slower, equivalent, inconclusive };

constexpr auto enum_names(Verdict) {
  return std::to_array<EnumName<Verdict>>({{Verdict::faster, "faster"},
                                           {Verdict::slower, "slower"},
                                           {Verdict::equivalent, "equivalent"},
                                           {Verdict::inconclusive, "inconclusive"}});
}

// One block of one arm: runs of one session without a break.
struct ArmBlock {
  std::uint64_t arm = 0;
  double log_ns = 0;                  // the median of ln t
  std::uint64_t iterations = 0;       // behind it
  std::uint64_t spikes = 0;           // of them more than twice the median
  std::optional<double> clock_mhz{};  // the CPU's while it ran, where that can be read
  std::optional<double> gpu_mhz{};    // the GPU's right after, likewise
};
template <RecordOf<ArmBlock> Self>
void for_each_field(Self& block, auto&& field) {
  field("arm", block.arm, Presence::required);
  field("log_ns", block.log_ns, Presence::required);
  field("iterations", block.iterations);
  field("spikes", block.spikes);
  field("clock_mhz", block.clock_mhz);
  field("gpu_mhz", block.gpu_mhz, Presence::when_given);
}

// Fresh workers, one for each arm, that took turns: in every round each arm ran one block.
struct RacedSession {
  std::vector<std::vector<ArmBlock>> rounds;  // blocks in the order in which they ran
};
template <RecordOf<RacedSession> Self>
void for_each_field(Self& session, auto&& field) {
  field("rounds", session.rounds, Presence::required);
}

// One arm against the baseline.
struct ComparedArm {
  std::string name;
  Verdict verdict = Verdict::inconclusive;
  bool is_worth_keeping = false;  // faster by more than the margin
  bool is_cut = false;            // inconclusive, and the race ended before its last look
  // After how many sessions the verdict was reached; what is told is what they show. Null: none.
  std::optional<std::uint64_t> decided_at;
  std::string reason;                 // why it is inconclusive; else empty
  double ratio = 1;                   // of its time to the baseline's
  std::vector<double> interval;       // of the ratio: low and high; empty for one session
  double median_ratio = 1;            // over sessions: what a few wild ones do not move
  std::optional<double> sign_flip_p;  // of the exact test, two-sided; null above 20 sessions
  double mde = 0;                     // the least effect that would be found, as a share
  std::optional<std::uint64_t> more_sessions;  // that would probably decide
  std::optional<double> cycles_ratio;          // at equal clocks, where those can be read
  std::optional<double> median_ms;
};
template <RecordOf<ComparedArm> Self>
void for_each_field(Self& arm, auto&& field) {
  field("name", arm.name);
  field("verdict", arm.verdict);
  field("worth_keeping", arm.is_worth_keeping);
  field("stopped_early", arm.is_cut);
  field("decided_at", arm.decided_at);
  field("reason", arm.reason);
  field("ratio", arm.ratio);
  field("interval", arm.interval);
  field("median_ratio", arm.median_ratio);
  field("sign_flip_p", arm.sign_flip_p);
  field("mde", arm.mde);
  field("more_sessions", arm.more_sessions);
  field("cycles_ratio", arm.cycles_ratio);
  field("median_ms", arm.median_ms);
}

struct Comparison {
  std::string baseline;
  // Of the first arm against it; the others are in `arms` only.
  Verdict verdict = Verdict::inconclusive;
  double ratio = 1;
  std::vector<double> interval;
  double mde = 0;
  std::optional<double> baseline_ms;
  std::vector<ComparedArm> arms;
  double margin = 0.01;               // what is worth keeping, as a share
  std::optional<double> noise_floor;  // what the baseline's clone came to, as a share
  std::uint64_t sessions = 0;
  std::uint64_t pairs = 0;  // blocks of each arm beside one of the baseline, in all sessions
  double spike_rate = 0;
  Load load;
  std::vector<RacedSession> samples;
  std::vector<std::string> notes;
  std::optional<std::string> repeat;  // the command
};
template <RecordOf<Comparison> Self>
void for_each_field(Self& comparison, auto&& field) {
  field("baseline", comparison.baseline);
  field("verdict", comparison.verdict);
  field("ratio", comparison.ratio);
  field("interval", comparison.interval);
  field("mde", comparison.mde);
  field("baseline_ms", comparison.baseline_ms);
  field("arms", comparison.arms);
  field("margin", comparison.margin);
  field("noise_floor", comparison.noise_floor);
  field("sessions", comparison.sessions);
  field("pairs", comparison.pairs);
  field("spike_rate", comparison.spike_rate);
  field("load", comparison.load);
  field("samples", comparison.samples);
  field("notes", comparison.notes);
  field("repeat", comparison.repeat);
}

}  // namespace hone
