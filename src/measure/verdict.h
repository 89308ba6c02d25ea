#pragma once
// Whether one arm is faster than another: pure functions over what sessions showed, so that
// everything replays from a file. Sessions are the sample; rounds and iterations only sharpen a
// session's value.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "record/comparison.h"

namespace hone {

// When samples are looked at, and at which level: Pocock's constant for five looks keeps all of
// them together at 5 %, however the race goes.
struct LookPlan {
  std::vector<std::size_t> sessions = {6, 9, 12, 16, 20};
  double nominal_p = 0.0158;  // two-sided, at each look
};

struct VerdictRules {
  double margin = 0.01;                 // a share; what differs by less is equivalent
  std::optional<double> noise_floor{};  // a share; what is below it is no finding
  LookPlan looks{};
  // Whether three to five sessions can have a verdict, for which the exact test is too coarse: only
  // in a race that took turns, and told with it.
  bool allows_few_sessions = false;
  // What is equivalent only because the noise floor lies above the margin goes on before: more
  // sessions lower the floor, and until then a difference as large as it is not excluded.
  bool is_last_look = true;
};

// The difference of two arms in ln t: below 0, the second is faster.
struct RatioEstimate {
  double theta = 0;
  double low = 0;
  double high = 0;
  double deviation = 0;  // between sessions
  double centre = 0;     // the median over sessions
  std::size_t sessions = 0;
};

// REQUIRES: at least two differences, one for each session.
RatioEstimate estimate(std::span<const double> differences, double nominal_p);

// Of the exact test that flips the sign of each session: the share of all flips whose mean is at
// least as far from 0. REQUIRES: 1 to 20 differences.
double sign_flip_p(std::span<const double> differences);

// What a session says about two arms: the mean over its rounds, which cancels drift that is linear
// over a round and its mirror image. In cycles where clocks are known and asked for.
struct SessionDifference {
  double time = 0;
  std::optional<double> cycles{};
};
std::optional<SessionDifference> difference_in(const RacedSession& session, std::uint64_t first,
                                               std::uint64_t second);

struct Judgement {
  Verdict verdict = Verdict::inconclusive;
  bool is_worth_keeping = false;
  std::string reason;
  RatioEstimate estimate;
  std::optional<double> sign_flip_p;
  std::optional<std::size_t> more_sessions;
};

// The verdict as it stands. `cycles` are the same differences at equal clocks, or nothing.
// REQUIRES: at least two differences.
Judgement judge(std::span<const double> differences, std::span<const double> cycles,
                const VerdictRules& rules);

// What identical arms come to: the 95th percentile of the magnitude of their mean, by resampling
// sessions. As a share. REQUIRES: at least two differences.
double noise_floor(std::span<const double> differences);

// "AB BA BA AB": whether round `i` runs backwards. No drift of low order favours an arm.
bool runs_backwards(std::size_t round, bool first);

}  // namespace hone
