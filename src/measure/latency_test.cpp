#include "measure/latency.h"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/blocks_for_tests.h"
#include "measure/noise_simulator.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

// A body whose runs take the times of a simulated machine.
class SimulatedBody {
 public:
  SimulatedBody(const NoiseModel& model, std::size_t most)
      : times_(NoiseSimulator(model, 1).session_in_nanoseconds(most)) {}
  RunBlock run() {
    return blocks_of(clock(), [this]() -> Status {
      now_ += times_.at(runs_++);
      return done();
    });
  }
  Clock clock() {
    return [this] { return now_; };
  }
  std::size_t runs() const { return runs_; }

 private:
  std::vector<Nanoseconds> times_;
  std::size_t runs_ = 0;
  Nanoseconds now_{0};
};

LatencyRun run_of(std::vector<int> milliseconds_each, std::size_t first_measured) {
  LatencyRun run;
  for (const int value : milliseconds_each) run.iterations.emplace_back(milliseconds(value));
  run.first_measured = first_measured;
  return run;
}

TEST(Latency, GivesTheIterationsAskedForWhenWarmupWasLongEnough) {
  SimulatedBody body({.warmup = 1, .warmup_step = 5}, 200);
  const auto run = measure_latency({.warmup = 10, .iterations = 100}, body.run(), {}, body.clock());
  EXPECT_EQ(run->measured().size(), 100u);
  EXPECT_EQ(run->first_measured, 10u);
  EXPECT_EQ(run->steady.start, 5u);
  EXPECT_EQ(body.runs(), 110u);
}

TEST(Latency, ReplacesIterationsThatTurnOutToBeWarmup) {
  SimulatedBody body({.warmup = 1, .warmup_step = 37}, 300);
  const auto run = measure_latency({.warmup = 10, .iterations = 100}, body.run(), {}, body.clock());
  EXPECT_EQ(run->first_measured, 37u);
  EXPECT_EQ(run->measured().size(), 100u);
  EXPECT_EQ(body.runs(), 137u);
}

// A few slow runs at the end look like the level that is to stay, until more have run.
TEST(Latency, GivesNoMoreIterationsThanWereAskedFor) {
  Nanoseconds now{0};
  std::size_t runs = 0;
  const Clock clock = [&] { return now; };
  const RunBlock body = blocks_of(clock, [&]() -> Status {
    // A warm-up, and a machine that is as slow again while the runs in its place are made.
    const bool is_slow = runs < 58 || runs >= 110;
    now += milliseconds(is_slow ? 13 : 10) + Nanoseconds(runs * 7919 % 20'000);
    ++runs;
    return done();
  });
  const auto run = measure_latency({.warmup = 10, .iterations = 100}, body, {}, clock);
  EXPECT_GT(runs, 110U) << "some were found to be warm-up, and replaced";
  EXPECT_EQ(run->measured().size(), 100U);
}

TEST(Latency, NeverRunsMoreThanTwiceWhatWasAskedFor) {
  SimulatedBody body({.warmup = 2, .warmup_iterations = 100000}, 1000);
  const auto run = measure_latency({.warmup = 10, .iterations = 100}, body.run(), {}, body.clock());
  EXPECT_LE(body.runs(), 210u);
  EXPECT_EQ(run->iterations.size(), body.runs());
}

TEST(Latency, OfARunByDurationLeavesTheWarmupOut) {
  SimulatedBody body({.warmup = 1, .warmup_step = 37}, 2000);
  const auto run =
      measure_latency({.warmup = 10, .duration = milliseconds(500)}, body.run(), {}, body.clock());
  EXPECT_EQ(run->first_measured, 37u);
  EXPECT_EQ(run->measured().size(), run->iterations.size() - 37);
}

TEST(Latency, TakesAFewIterationsAsTheyAre) {
  SimulatedBody body({}, 10);
  const auto run = measure_latency({.warmup = 0, .iterations = 1}, body.run(), {}, body.clock());
  EXPECT_EQ(run->measured().size(), 1u);
  EXPECT_EQ(run->steady.steadiness, Steadiness::unknown);
  EXPECT_EQ(body.runs(), 1u);
}

TEST(Latency, KeepsWhatItHasWhenStopped) {
  SimulatedBody body({.warmup = 1, .warmup_step = 37}, 300);
  const std::atomic<bool> stop = true;
  const auto run = measure_latency({}, body.run(), {.stop = &stop}, body.clock());
  EXPECT_EQ(run->end, LoopEnd::stopped);
  EXPECT_TRUE(run->measured().empty());
}

TEST(Latency, HandsTheErrorOfARunOn) {
  const auto run = measure_latency(
      {}, blocks_of(steady_now, []() -> Status { return fail(Fault::runtime, "cannot run"); }));
  EXPECT_EQ(run.error().what, "cannot run");
}

TEST(LatencySummary, HasMeanDeviationAndExtremesOfMeasuredIterations) {
  const PerfLatency latency = summarize_latency(run_of({9, 7, 1, 2, 3, 6}, 2));
  EXPECT_DOUBLE_EQ(latency.mean.value(), 3);
  EXPECT_DOUBLE_EQ(latency.min.value(), 1);
  EXPECT_DOUBLE_EQ(latency.max.value(), 6);
  EXPECT_DOUBLE_EQ(latency.p50.value(), 2.5);
  EXPECT_DOUBLE_EQ(latency.deviation.value(), std::sqrt(3.5));
  EXPECT_DOUBLE_EQ(latency.warmup_mean.value(), 8);
}

TEST(LatencySummary, NamesThePercentilesItDoesNotHave) {
  const PerfLatency latency = summarize_latency(run_of(std::vector<int>(100, 2), 0));
  EXPECT_EQ(latency.p90, 2);
  EXPECT_EQ(latency.p95, std::nullopt);
  EXPECT_EQ(latency.p99, std::nullopt);
  EXPECT_EQ(latency.not_supported,
            (std::vector<std::string>{"p95 not supported (needs 130 samples, have 100)",
                                      "p99 not supported (needs 662 samples, have 100)"}));
}

TEST(LatencySummary, OfOneSampleHasNoDeviation) {
  const PerfLatency latency = summarize_latency(run_of({4}, 0));
  EXPECT_EQ(latency.mean, 4);
  EXPECT_EQ(latency.p50, 4);
  EXPECT_EQ(latency.deviation, std::nullopt);
  EXPECT_EQ(latency.warmup_mean, std::nullopt);
}

TEST(LatencySummary, OfNothingIsUnknown) {
  const PerfLatency latency = summarize_latency(LatencyRun{});
  EXPECT_EQ(latency.mean, std::nullopt);
  EXPECT_EQ(latency.p50, std::nullopt);
  EXPECT_EQ(summarize_throughput(LatencyRun{}, 4).batches_per_sec, std::nullopt);
}

TEST(LatencySummary, MultipliesThroughputByTheBatchWhereItIsKnown) {
  const LatencyRun run = run_of({4, 4}, 0);
  EXPECT_EQ(summarize_throughput(run, 8).samples_per_sec, 2000);
  EXPECT_EQ(summarize_throughput(run, 8).batches_per_sec, 250);
  EXPECT_EQ(summarize_throughput(run, std::nullopt).samples_per_sec, std::nullopt);
}

TEST(LatencySummary, TellsSteadyStateApart) {
  SimulatedBody body({.warmup = 1, .warmup_step = 37}, 300);
  const auto run = measure_latency({.warmup = 10, .iterations = 100}, body.run(), {}, body.clock());
  const PerfSteadyState state = summarize_steady_state(*run);
  EXPECT_EQ(state.state, Steadiness::steady);
  EXPECT_EQ(state.warmup_iterations, 37u);
  EXPECT_EQ(state.reason, "steady after 37 iterations");
  EXPECT_NEAR(state.time_to_steady_ms.value(), 37 * std::exp(1.0), 2);
  EXPECT_EQ(summarize_steady_state(LatencyRun{}).time_to_steady_ms, std::nullopt);
}

}  // namespace
}  // namespace hone
