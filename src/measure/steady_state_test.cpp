#include "measure/steady_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "measure/noise_simulator.h"

namespace hone {
namespace {

SteadyState steady_state_of(const NoiseModel& model, std::size_t iterations, std::uint64_t seed) {
  return find_steady_state(NoiseSimulator(model, seed).session_in_nanoseconds(iterations));
}

// What a hundred sessions of one kind of machine give.
struct Study {
  std::vector<std::size_t> starts;  // sorted
  int steady = 0;
  double spike_rate = 0;
};

Study study(const NoiseModel& model, std::size_t iterations) {
  Study result;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const SteadyState state = steady_state_of(model, iterations, seed);
    result.starts.push_back(state.start);
    result.steady += state.steadiness == Steadiness::steady ? 1 : 0;
    result.spike_rate += state.spike_rate / 100;
  }
  std::ranges::sort(result.starts);
  return result;
}

TEST(SteadyState, IsThereFromTheStartOnAQuietMachine) {
  for (const double noise : {0.002, 0.01, 0.1}) {
    for (const std::size_t iterations : {30u, 110u, 300u}) {
      const Study quiet = study({.noise = noise}, iterations);
      EXPECT_GE(quiet.steady, 99) << noise << " " << iterations;
      EXPECT_EQ(quiet.starts[95], 0u) << noise << " " << iterations;
    }
  }
}

TEST(SteadyState, IsSeldomDeniedToCorrelatedNoise) {
  EXPECT_GE(study({.noise = 0.02, .autocorrelation = 0.5}, 110).steady, 95);
  EXPECT_GE(study({.noise = 0.02, .autocorrelation = 0.5}, 300).steady, 99);
}

TEST(SteadyState, BeginsWhereAStepOfWarmupEnds) {
  const Study step = study({.warmup = std::log(2.0), .warmup_step = 17}, 110);
  EXPECT_EQ(step.starts[5], 17u);
  EXPECT_EQ(step.starts[95], 17u);
  EXPECT_EQ(step.steady, 100);
}

TEST(SteadyState, SeesAWarmupOfFivePercent) {
  const Study step = study({.warmup = std::log(1.05), .warmup_step = 60}, 300);
  EXPECT_GE(step.starts[5], 58u);
  EXPECT_LE(step.starts[95], 62u);
}

TEST(SteadyState, BeginsNearWhereARampHasComeWithinTwoPercent) {
  // An excess of 1 in ln t that falls by 1/e every 15 iterations is ln 1.02 after 59.
  const Study ramp = study({.warmup = 1.0, .warmup_iterations = 15}, 300);
  EXPECT_GE(ramp.starts[5], 45u);
  EXPECT_LE(ramp.starts[95], 80u);
  EXPECT_GE(ramp.steady, 99);
}

TEST(SteadyState, ComesAfterASingleColdIteration) {
  const Study cold = study({.warmup = std::log(10.0), .warmup_step = 1}, 110);
  EXPECT_EQ(cold.starts[5], 1u);
  EXPECT_EQ(cold.starts[95], 1u);
}

TEST(SteadyState, ComesAfterAColdStartThatIsShorterThanABlock) {
  const SteadyState state = steady_state_of({.warmup = std::log(4.0), .warmup_step = 5}, 5000, 1);
  EXPECT_EQ(state.start, 5u);
}

TEST(SteadyState, IsNotMovedBySpikes) {
  const Study spikes = study({.spike_rate = 0.05}, 300);
  EXPECT_EQ(spikes.starts[90], 0u);
  EXPECT_EQ(spikes.steady, 100);
  // Some hits are too small to be called spikes: with a mean of 1.5 in ln t, one in seven.
  EXPECT_NEAR(spikes.spike_rate, 0.05 * std::exp(-std::log(1.25) / 1.5), 0.005);
}

TEST(SteadyState, IsFoundBehindAWarmupWithSpikes) {
  const Study both = study({.warmup = std::log(1.3), .warmup_step = 60, .spike_rate = 0.05}, 300);
  EXPECT_GE(both.starts[5], 58u);
  EXPECT_LE(both.starts[95], 64u);
}

TEST(SteadyState, KeepsWhatWasBeforeTheClockFell) {
  const NoiseModel throttled{.clock_step = std::log(1.2), .clock_change_at = 100};
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const SteadyState state = steady_state_of(throttled, 250, seed);
    EXPECT_EQ(state.start, 0u);
    EXPECT_EQ(state.steadiness, Steadiness::unsteady);
    ASSERT_EQ(state.shifts.size(), 1u);
    EXPECT_NEAR(static_cast<double>(state.shifts[0].iteration), 100, 2);
    EXPECT_NEAR(state.shifts[0].factor, 1.2, 0.01);
    EXPECT_TRUE(state.reason.starts_with("20 % slower after ")) << state.reason;
  }
}

TEST(SteadyState, IsRefusedToAClockThatKeepsChanging) {
  const Study flips = study({.clock_step = std::log(1.2), .clock_change_rate = 0.02}, 300);
  EXPECT_LE(flips.steady, 5);
}

TEST(SteadyState, SeesADriftWithoutAnyStep) {
  const SteadyState slower = steady_state_of({.noise = 0.002, .drift = 0.1}, 1000, 1);
  EXPECT_EQ(slower.start, 0u);
  EXPECT_EQ(slower.steadiness, Steadiness::unsteady);
  EXPECT_EQ(slower.reason, "gets slower: 8 % slower at the end");

  const SteadyState endless = steady_state_of({.warmup = 1, .warmup_iterations = 1000}, 1000, 1);
  EXPECT_EQ(endless.steadiness, Steadiness::unsteady);
  EXPECT_TRUE(endless.reason.starts_with("still getting faster at the end: ")) << endless.reason;
}

TEST(SteadyState, GivesTheFirstInferenceAndTheTimeToSteadyApart) {
  const auto iterations =
      NoiseSimulator({.warmup = std::log(3.0), .warmup_step = 12}, 4).session_in_nanoseconds(120);
  const SteadyState state = find_steady_state(iterations);
  EXPECT_EQ(state.start, 12u);
  EXPECT_EQ(state.first_inference, iterations[0]);
  EXPECT_EQ(state.time_to_steady,
            std::accumulate(iterations.begin(), iterations.begin() + 12, Nanoseconds{0}));
  EXPECT_EQ(state.reason, "steady after 12 iterations");
}

TEST(SteadyState, IsUnknownWithFewIterations) {
  const SteadyState state = find_steady_state(std::vector<Nanoseconds>(19, Nanoseconds{1000}));
  EXPECT_EQ(state.steadiness, Steadiness::unknown);
  EXPECT_EQ(state.start, 0u);
  EXPECT_EQ(state.first_inference, Nanoseconds{1000});
  EXPECT_EQ(state.reason, "too few iterations to tell (needs 20, have 19)");
  EXPECT_EQ(find_steady_state({}).first_inference, Nanoseconds{0});
}

TEST(SteadyState, TakesAClockWithoutAnyNoise) {
  std::vector<Nanoseconds> iterations(200, Nanoseconds{1'000'000});
  EXPECT_EQ(find_steady_state(iterations).reason, "steady from the first iteration on");
  std::fill_n(iterations.begin(), 30, Nanoseconds{2'000'000});
  EXPECT_EQ(find_steady_state(iterations).start, 30u);
  std::ranges::fill(iterations, Nanoseconds{0});
  EXPECT_EQ(find_steady_state(iterations).steadiness, Steadiness::steady);
}

TEST(SteadyState, DoesNotDependOnTheUnitOfTime) {
  auto iterations =
      NoiseSimulator({.warmup = 0.3, .warmup_step = 40}, 2).session_in_nanoseconds(200);
  const SteadyState once = find_steady_state(iterations);
  for (Nanoseconds& time : iterations) time *= 1000;
  const SteadyState scaled = find_steady_state(iterations);
  EXPECT_EQ(once.start, scaled.start);
  EXPECT_EQ(once.spikes, scaled.spikes);
  EXPECT_EQ(scaled.time_to_steady, 1000 * once.time_to_steady);
}

}  // namespace
}  // namespace hone
