#include "measure/verdict.h"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "measure/percentile.h"
#include "measure/robust.h"

namespace hone {
namespace {

// The exact test cannot reach Pocock's level with six sessions (its least p is 2/64); beyond this
// one it contradicts the interval.
constexpr double most_flip_p = 0.05;
constexpr std::size_t most_flipped = 20;
// Fewer cannot come below it, whatever they show: 2/2^6 is the first that does.
constexpr std::size_t sessions_to_flip = 6;
// Two have no spread to speak of.
constexpr std::size_t least_sessions = 3;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double student_quantile(double p, std::size_t freedom) {
  const boost::math::students_t_distribution<double> student(static_cast<double>(freedom));
  return boost::math::quantile(student, p);
}

// How many sessions would put zero, or the margin, outside of the interval.
std::optional<std::size_t> sessions_that_decide(const RatioEstimate& seen, double margin,
                                                double nominal_p) {
  const double distance = std::max(std::abs(seen.theta), margin - std::abs(seen.theta));
  if (distance <= 0 || seen.deviation <= 0) return std::nullopt;
  constexpr std::size_t most = 10'000;
  for (std::size_t sessions = seen.sessions + 1; sessions <= most; sessions += sessions / 10 + 1) {
    const double width = student_quantile(1 - nominal_p / 2, sessions - 1) * seen.deviation /
                         std::sqrt(static_cast<double>(sessions));
    if (width < distance) return sessions - seen.sessions;
  }
  return std::nullopt;
}

// Fewer sessions than the test takes, where they are allowed, agree when all are on one side.
double most_flip_p_of(std::size_t sessions, const VerdictRules& rules) {
  const bool is_few = sessions >= least_sessions && sessions < sessions_to_flip;
  if (!rules.allows_few_sessions || !is_few) return most_flip_p;
  return std::ldexp(1.0, 1 - static_cast<int>(sessions)) * (1 + 1e-9);
}

// The block of an arm in a round; null when it has none.
const ArmBlock* find_block(const std::vector<ArmBlock>& round, std::uint64_t arm) {
  const auto found = std::ranges::find(round, arm, &ArmBlock::arm);
  return found != round.end() ? &*found : nullptr;
}

}  // namespace

RatioEstimate estimate(std::span<const double> differences, double nominal_p) {
  RatioEstimate made;
  made.sessions = differences.size();
  made.theta = mean_of(differences);
  made.deviation = deviation_of(differences, made.theta);
  made.centre = median({differences.begin(), differences.end()});
  const double width = student_quantile(1 - nominal_p / 2, made.sessions - 1) * made.deviation /
                       std::sqrt(static_cast<double>(made.sessions));
  made.low = made.theta - width;
  made.high = made.theta + width;
  return made;
}

double sign_flip_p(std::span<const double> differences) {
  const std::size_t count = differences.size();
  const double seen = std::abs(std::accumulate(differences.begin(), differences.end(), 0.0));
  // Half of all flips are the others with every sign changed: the first sign can stay.
  const std::uint64_t flips = std::uint64_t{1} << (count - 1);
  std::uint64_t as_far = 0;
  double sum = std::accumulate(differences.begin(), differences.end(), 0.0);
  std::uint64_t code = 0;
  for (std::uint64_t i = 0;;) {
    if (std::abs(sum) >= seen * (1 - 1e-12)) ++as_far;
    if (++i == flips) break;
    // One sign changes from one flip to the next (Gray code), so a step costs one addition.
    const auto changed = static_cast<std::size_t>(std::countr_zero(i));
    code ^= std::uint64_t{1} << changed;
    const bool is_negative = (code >> changed & 1) != 0;
    sum += (is_negative ? -2 : 2) * differences[changed + 1];
  }
  return static_cast<double>(as_far) / static_cast<double>(flips);
}

std::optional<SessionDifference> difference_in(const RacedSession& session, std::uint64_t first,
                                               std::uint64_t second) {
  double time = 0;
  double clocks = 0;
  bool has_clocks = true;
  std::size_t rounds = 0;
  for (const std::vector<ArmBlock>& round : session.rounds) {
    const ArmBlock* a = find_block(round, first);
    const ArmBlock* b = find_block(round, second);
    if (a == nullptr || b == nullptr) continue;
    time += b->log_ns - a->log_ns;
    has_clocks = has_clocks && a->clock_mhz.value_or(0) > 0 && b->clock_mhz.value_or(0) > 0;
    if (has_clocks) clocks += std::log(*b->clock_mhz) - std::log(*a->clock_mhz);
    ++rounds;
  }
  if (rounds == 0) return std::nullopt;
  const auto count = static_cast<double>(rounds);
  SessionDifference difference{.time = time / count};
  if (has_clocks) difference.cycles = (time + clocks) / count;
  return difference;
}

Judgement judge(std::span<const double> differences, std::span<const double> cycles,
                const VerdictRules& rules) {
  Judgement made;
  const double nominal_p = rules.looks.nominal_p;
  made.estimate = estimate(differences, nominal_p);
  const RatioEstimate& seen = made.estimate;
  const double floor = std::log1p(rules.noise_floor.value_or(0));
  const double margin = std::log1p(rules.margin);
  const double reach = rules.is_last_look ? std::max(margin, floor) : margin;
  if (differences.size() <= most_flipped) made.sign_flip_p = sign_flip_p(differences);
  const bool is_apart = seen.high < 0 || seen.low > 0;
  const bool is_equivalent = seen.low > -reach && seen.high < reach;
  const bool is_contradicted =
      made.sign_flip_p.value_or(0) > most_flip_p_of(differences.size(), rules);
  if (is_apart && std::abs(seen.theta) > floor && !is_contradicted) {
    made.verdict = seen.high < 0 ? Verdict::faster : Verdict::slower;
    made.is_worth_keeping = seen.high < -std::max(margin, floor);
  } else if (is_equivalent) {
    made.verdict = Verdict::equivalent;
  } else if (is_apart) {
    made.reason = !is_contradicted                        ? "the noise floor is larger"
                  : differences.size() < sessions_to_flip ? "too few sessions for a verdict"
                                                          : "the sessions do not agree";
  } else {
    made.reason = "the interval holds 1";
    // A clock, a floor and sessions that do not agree are no matter of their number.
    made.more_sessions = sessions_that_decide(seen, reach, nominal_p);
  }
  const bool is_finding = made.verdict == Verdict::faster || made.verdict == Verdict::slower;
  if (is_finding && cycles.size() == differences.size()) {
    const RatioEstimate at_equal_clocks = estimate(cycles, nominal_p);
    const bool agrees = seen.high < 0 ? at_equal_clocks.high < 0 : at_equal_clocks.low > 0;
    if (!agrees) {
      made.verdict = Verdict::inconclusive;
      made.is_worth_keeping = false;
      made.reason = "clock";
    }
  }
  return made;
}

double noise_floor(std::span<const double> differences) {
  constexpr std::size_t resamples = 2000;
  Random random(1);
  std::vector<double> magnitudes;
  magnitudes.reserve(resamples);
  for (std::size_t i = 0; i < resamples; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < differences.size(); ++k)
      sum += differences[random.below(differences.size())];
    magnitudes.push_back(std::abs(sum) / static_cast<double>(differences.size()));
  }
  std::ranges::sort(magnitudes);
  return std::expm1(quantile(magnitudes, 95));
}

bool runs_backwards(std::size_t round, bool first) {
  return (std::popcount(round) % 2 != 0) != first;
}

}  // namespace hone
