#include "measure/steady_state.h"

#include <algorithm>
#include <cmath>

#include "measure/change_point.h"
#include "measure/robust.h"

namespace hone {
namespace {

// Levels closer than this are the same for our purposes: 2 %.
const double same_level = std::log(1.02);
// The clock's grain and a scheduler tick make even a constant body vary by this much.
constexpr double least_noise = 0.001;
// What find_segments can take in a few milliseconds.
constexpr std::size_t most_blocks = 256;
// A spike is at least a quarter slower than its level, and far outside of the noise.
const double least_spike = std::log(1.25);
constexpr double spike_deviations = 5;

// ln t of all iterations and its block medians.
struct Series {
  std::vector<double> logs;
  std::vector<double> blocks;
  std::size_t block = 1;  // iterations per block; the last one holds the rest as well

  std::size_t first_iteration(std::size_t block_index) const { return block_index * block; }
};

Series make_series(std::span<const Nanoseconds> iterations) {
  Series series;
  series.logs.reserve(iterations.size());
  for (const Nanoseconds time : iterations) {
    series.logs.push_back(std::log(static_cast<double>(std::max<std::int64_t>(time.count(), 1))));
  }
  const std::size_t count = iterations.size();
  series.block = (count + most_blocks - 1) / most_blocks;
  for (std::size_t i = 0; i + series.block <= count; i += series.block) {
    const auto begin = series.logs.begin() + static_cast<std::ptrdiff_t>(i);
    const bool is_last = i + 2 * series.block > count;
    const auto end =
        is_last ? series.logs.end() : begin + static_cast<std::ptrdiff_t>(series.block);
    series.blocks.push_back(median(std::vector<double>(begin, end)));
  }
  return series;
}

double reference_level(const Series& series) {
  const auto middle = static_cast<std::ptrdiff_t>(series.logs.size() / 2);
  return median(std::vector<double>(series.logs.begin() + middle, series.logs.end()));
}

bool is_long(const Segment& segment, std::size_t blocks) {
  return segment.length() >= std::max<std::size_t>(3, blocks / 20);
}

// The first segment that has come down to the reference, and stays there or is long enough to be
// more than chance.
std::size_t first_steady_segment(const std::vector<Segment>& segments, std::size_t blocks,
                                 double reference) {
  const auto is_down = [&](const Segment& segment) {
    return segment.level <= reference + same_level;
  };
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!is_down(segments[i])) continue;
    const bool next_is_down = i + 1 == segments.size() || is_down(segments[i + 1]);
    if (next_is_down || is_long(segments[i], blocks)) return i;
  }
  return segments.size() - 1;
}

// A cold start shorter than half a block, or of one iteration, does not move a block median: slow
// iterations that hang together with the first one are warm-up too.
std::size_t slow_beginning(const Series& series, double reference) {
  const double limit =
      reference + std::max(same_level, 3 * std::max(noise_of(series.logs), least_noise));
  std::size_t count = 0;
  while (count < series.logs.size() / 4 && series.logs[count] > limit) ++count;
  return count;
}

// Level changes between long segments after the warm-up. Short ones are bursts: they are counted
// among the spikes.
std::vector<LevelShift> find_shifts(const Series& series, std::span<const Segment> segments) {
  std::vector<LevelShift> shifts;
  const Segment* last = nullptr;
  for (const Segment& segment : segments) {
    if (!is_long(segment, series.blocks.size())) continue;
    if (last != nullptr && std::abs(segment.level - last->level) > same_level) {
      shifts.push_back(
          {series.first_iteration(segment.begin), std::exp(segment.level - last->level)});
    }
    if (last == nullptr || std::abs(segment.level - last->level) > same_level) last = &segment;
  }
  return shifts;
}

void count_spikes(const Series& series, std::span<const Segment> segments, SteadyState& state) {
  std::vector<double> residuals;
  residuals.reserve(series.logs.size() - state.start);
  for (const Segment& segment : segments) {
    const bool is_last = segment.end == series.blocks.size();
    const std::size_t end = is_last ? series.logs.size() : series.first_iteration(segment.end);
    for (std::size_t i = std::max(state.start, series.first_iteration(segment.begin)); i < end;
         ++i) {
      residuals.push_back(series.logs[i] - segment.level);
    }
  }
  if (residuals.empty()) return;
  const double limit = std::max(least_spike, spike_deviations * robust_deviation(residuals, 0));
  state.spikes = static_cast<std::uint64_t>(
      std::ranges::count_if(residuals, [&](double residual) { return residual > limit; }));
  state.spike_rate = static_cast<double>(state.spikes) / static_cast<double>(residuals.size());
}

// Many small steps make no long segment: the two ends are compared as well.
void find_drift(const Series& series, SteadyState& state) {
  const std::span<const double> steady = std::span(series.logs).subspan(state.start);
  const std::size_t fifth = steady.size() / 5;
  if (fifth == 0) return;
  const auto level = [](std::span<const double> part) {
    return median(std::vector<double>(part.begin(), part.end()));
  };
  const double change = level(steady.last(fifth)) - level(steady.first(fifth));
  // 1.25 / sqrt(n) is the standard error of a median of n, sqrt(2) that of a difference of two; at
  // four of them chance is out of the question.
  const double error = 1.25 * std::sqrt(2.0 / static_cast<double>(fifth)) * noise_of(series.logs);
  if (std::abs(change) > std::max(same_level, 4 * error)) state.drift = std::exp(change);
}

std::string percent(double factor) {
  const auto rounded = static_cast<long>(std::lround(std::abs(factor - 1) * 100));
  return std::to_string(rounded) + " % " + (factor > 1 ? "slower" : "faster");
}

std::string describe_movement(const SteadyState& state) {
  if (state.shifts.size() == 1) {
    const LevelShift& shift = state.shifts.front();
    return percent(shift.factor) + " after " + std::to_string(shift.iteration) + " iterations";
  }
  if (state.drift < 1) return "still getting faster at the end: " + percent(state.drift);
  if (state.drift > 1) return "gets slower: " + percent(state.drift) + " at the end";
  return "the level moves " + std::to_string(state.shifts.size()) + " times";
}

void judge(SteadyState& state) {
  const bool moves = !state.shifts.empty() || state.drift != 1;
  state.steadiness = moves ? Steadiness::unsteady : Steadiness::steady;
  if (moves) {
    state.reason = describe_movement(state);
  } else if (state.start == 0) {
    state.reason = "steady from the first iteration on";
  } else {
    state.reason = "steady after " + std::to_string(state.start) +
                   (state.start == 1 ? " iteration" : " iterations");
  }
}

}  // namespace

SteadyState find_steady_state(std::span<const Nanoseconds> iterations) {
  SteadyState state;
  if (!iterations.empty()) state.first_inference = iterations.front();
  if (iterations.size() < least_iterations_for_steady_state) {
    state.reason = "too few iterations to tell (needs " +
                   std::to_string(least_iterations_for_steady_state) + ", have " +
                   std::to_string(iterations.size()) + ")";
    return state;
  }
  const Series series = make_series(iterations);
  const std::vector<Segment> segments = find_segments(series.blocks, least_noise);
  const double reference = reference_level(series);
  const std::size_t first = first_steady_segment(segments, series.blocks.size(), reference);
  const std::span<const Segment> steady = std::span(segments).subspan(first);

  state.start =
      std::max(series.first_iteration(steady.front().begin), slow_beginning(series, reference));
  for (const Nanoseconds time : iterations.first(state.start)) state.time_to_steady += time;
  state.shifts = find_shifts(series, steady);
  count_spikes(series, steady, state);
  find_drift(series, state);
  judge(state);
  return state;
}

}  // namespace hone
