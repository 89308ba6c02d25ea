// What the samples of a race show: pure functions, by which a stored race is judged again.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "measure/race.h"
#include "measure/robust.h"

namespace hone {
namespace {

struct Differences {
  std::vector<double> time;
  std::vector<double> cycles;
};

Differences differences_of(const std::vector<RacedSession>& samples, std::uint64_t arm) {
  Differences found;
  for (const RacedSession& session : samples) {
    const auto difference = difference_in(session, 0, arm);
    if (!difference) continue;
    found.time.push_back(difference->time);
    if (difference->cycles) found.cycles.push_back(*difference->cycles);
  }
  return found;
}

std::optional<double> median_ms_of(const std::vector<RacedSession>& samples, std::uint64_t arm) {
  std::vector<double> logs;
  for (const RacedSession& session : samples) {
    for (const auto& round : session.rounds) {
      for (const ArmBlock& block : round)
        if (block.arm == arm) logs.push_back(block.log_ns);
    }
  }
  if (logs.empty()) return std::nullopt;
  return std::exp(median(std::move(logs))) / 1e6;
}

ComparedArm describe_arm(const std::string& name, const Differences& differences,
                         const VerdictRules& rules) {
  ComparedArm arm;
  arm.name = name;
  if (differences.time.size() < 2) {
    arm.ratio = arm.median_ratio = std::exp(differences.time.front());
    arm.reason = "one session is too few for a verdict";
    return arm;
  }
  const Judgement judgement = judge(differences.time, differences.cycles, rules);
  arm.verdict = judgement.verdict;
  arm.is_worth_keeping = judgement.is_worth_keeping;
  arm.reason = judgement.reason;
  arm.ratio = std::exp(judgement.estimate.theta);
  arm.interval = {std::exp(judgement.estimate.low), std::exp(judgement.estimate.high)};
  arm.median_ratio = std::exp(judgement.estimate.centre);
  arm.sign_flip_p = judgement.sign_flip_p;
  constexpr double power = 2.8;  // 80 % of the time, at 5 %
  arm.mde = std::expm1(power * judgement.estimate.deviation /
                       std::sqrt(static_cast<double>(judgement.estimate.sessions)));
  if (judgement.more_sessions) arm.more_sessions = *judgement.more_sessions;
  if (differences.cycles.size() == differences.time.size() && !differences.cycles.empty()) {
    const double sum = std::accumulate(differences.cycles.begin(), differences.cycles.end(), 0.0);
    arm.cycles_ratio = std::exp(sum / static_cast<double>(differences.cycles.size()));
  }
  return arm;
}

void count_rounds(Comparison& comparison) {
  std::uint64_t iterations = 0;
  std::uint64_t spikes = 0;
  for (const RacedSession& session : comparison.samples) {
    comparison.pairs += session.rounds.size();
    for (const auto& round : session.rounds) {
      for (const ArmBlock& block : round) {
        iterations += block.iterations;
        spikes += block.spikes;
      }
    }
  }
  if (iterations > 0)
    comparison.spike_rate = static_cast<double>(spikes) / static_cast<double>(iterations);
}

// What a GPU's clock did while arms took turns; turns share it, but not evenly.
std::optional<std::string> clock_note(const std::vector<RacedSession>& samples) {
  constexpr double steady = 1.05;
  std::vector<double> clocks;
  for (const RacedSession& session : samples) {
    for (const auto& round : session.rounds) {
      for (const ArmBlock& block : round)
        if (block.gpu_mhz && *block.gpu_mhz > 0) clocks.push_back(*block.gpu_mhz);
    }
  }
  if (clocks.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(clocks);
  if (most <= least * steady) return std::nullopt;
  return "the GPU's clock moved between " + std::to_string(std::lround(least)) + " and " +
         std::to_string(std::lround(most)) +
         " MHz during the race: arms took turns under it, and a small difference may be its work";
}

void sum_up(Comparison& comparison) {
  if (comparison.arms.empty()) return;
  const ComparedArm& first = comparison.arms.front();
  comparison.verdict = first.verdict;
  comparison.ratio = first.ratio;
  comparison.interval = first.interval;
  comparison.mde = first.mde;
}

}  // namespace

Comparison judge_race(const std::vector<std::string>& names,
                      const std::vector<RacedSession>& samples, const VerdictRules& rules) {
  Comparison comparison;
  comparison.baseline = names.front();
  comparison.margin = rules.margin;
  comparison.sessions = samples.size();
  comparison.samples = samples;
  comparison.baseline_ms = median_ms_of(samples, 0);
  count_rounds(comparison);
  if (std::optional<std::string> note = clock_note(samples))
    comparison.notes.push_back(*std::move(note));
  VerdictRules with_floor = rules;
  const Differences clone = differences_of(samples, names.size());
  if (clone.time.size() >= 2) {
    comparison.noise_floor = noise_floor(clone.time);
    with_floor.noise_floor = comparison.noise_floor;
  }
  for (std::size_t arm = 1; arm < names.size(); ++arm) {
    const Differences differences = differences_of(samples, arm);
    if (differences.time.empty()) continue;
    comparison.arms.push_back(describe_arm(names[arm], differences, with_floor));
    comparison.arms.back().median_ms = median_ms_of(samples, arm);
  }
  sum_up(comparison);
  return comparison;
}

Comparison judge_looks(const std::vector<std::string>& names,
                       const std::vector<RacedSession>& samples, const VerdictRules& given) {
  VerdictRules rules = given;
  rules.allows_few_sessions = true;
  std::vector<std::size_t> looks = rules.looks.sessions;
  const bool is_over = samples.size() >= looks.back();
  std::erase_if(looks, [&](std::size_t look) { return look >= samples.size(); });
  looks.push_back(samples.size());
  std::map<std::string, ComparedArm> decided;
  Comparison comparison;
  for (const std::size_t look : looks) {
    rules.is_last_look = look >= given.looks.sessions.back();
    comparison = judge_race(
        names, {samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(look)}, rules);
    for (ComparedArm& arm : comparison.arms) {
      if (arm.verdict == Verdict::inconclusive) continue;
      arm.decided_at = look;
      decided.try_emplace(arm.name, arm);
    }
  }
  for (ComparedArm& arm : comparison.arms) {
    const auto found = decided.find(arm.name);
    if (found != decided.end()) arm = found->second;
    arm.is_cut = !is_over && arm.verdict == Verdict::inconclusive;
  }
  sum_up(comparison);
  return comparison;
}

}  // namespace hone
