#include "measure/loop.h"

#include <gtest/gtest.h>

#include <string>

#include "measure/blocks_for_tests.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

// Time that passes only when somebody says so.
struct FakeTime {
  Nanoseconds now{1000};
  Clock clock() {
    return [this] { return now; };
  }
  // Runs that take the times of a list, and the last of them for ever.
  RunBlock runs(std::vector<int> milliseconds_each) {
    return blocks_of(
        clock(),
        [this, times = std::move(milliseconds_each), i = std::size_t{0}]() mutable -> Status {
          now += milliseconds(times[std::min(i++, times.size() - 1)]);
          return done();
        });
  }
};

std::vector<int> in_milliseconds(const std::vector<Nanoseconds>& times) {
  std::vector<int> values;
  for (const Nanoseconds time : times) {
    values.push_back(static_cast<int>(time / milliseconds(1)));
  }
  return values;
}

TEST(Loop, TimesEveryRunAndKeepsTheWarmupApart) {
  FakeTime time;
  const auto samples =
      run_loop({.warmup = 2, .iterations = 3}, time.runs({9, 8, 1, 2, 3}), {}, time.clock());
  EXPECT_EQ(in_milliseconds(samples->warmup), (std::vector{9, 8}));
  EXPECT_EQ(in_milliseconds(samples->measured), (std::vector{1, 2, 3}));
  EXPECT_EQ(samples->end, LoopEnd::finished);
}

TEST(Loop, LeavesWhatLiesBetweenBlocksOutOfTheTime) {
  FakeTime time;
  const RunBlock runs = time.runs({150});
  const RunBlock with_gaps = [&](std::uint64_t iterations, Nanoseconds limit) {
    time.now += milliseconds(100);
    return runs(iterations, limit);
  };
  const auto samples = run_loop({.warmup = 0, .iterations = 4}, with_gaps, {}, time.clock());
  EXPECT_EQ(in_milliseconds(samples->measured), (std::vector{150, 150, 150, 150}));
  EXPECT_EQ(samples->elapsed, milliseconds(800)) << "two blocks of two runs, a gap before each";
}

TEST(Loop, BeginsNoRunThatWouldNotEndBeforeTheDeadline) {
  FakeTime time;
  const auto samples = run_loop({.warmup = 0, .iterations = 100}, time.runs({400}),
                                {.deadline = time.now + milliseconds(1900)}, time.clock());
  EXPECT_EQ(samples->measured.size(), 4U);
  EXPECT_EQ(samples->end, LoopEnd::out_of_time);
}

TEST(Loop, WarmsUpForAFifthOfTheTimeThereIs) {
  FakeTime time;
  const auto samples = run_loop({.warmup = 50, .iterations = 100}, time.runs({300}),
                                {.deadline = time.now + milliseconds(4000)}, time.clock());
  EXPECT_EQ(samples->warmup.size(), 2U);
  EXPECT_EQ(samples->measured.size(), 11U);
}

TEST(Loop, WarmsUpNoLongerThanItMay) {
  FakeTime time;
  const LoopPlan plan{.warmup = 10, .most_warmup = milliseconds(2000), .iterations = 3};
  EXPECT_EQ(run_loop(plan, time.runs({6000}), {}, time.clock())->warmup.size(), 1U);
  EXPECT_EQ(run_loop(plan, time.runs({700}), {}, time.clock())->warmup.size(), 3U);
  EXPECT_EQ(run_loop(plan, time.runs({1}), {}, time.clock())->warmup.size(), 10U);
}

TEST(Loop, SaysWhenItIsWarm) {
  FakeTime time;
  LoopMeter meter;
  const RunBlock runs = time.runs({6000});
  std::vector<bool> warm;
  const RunBlock watched = [&](std::uint64_t iterations, Nanoseconds limit) {
    warm.push_back(meter.is_warm);
    return runs(iterations, limit);
  };
  const LoopPlan plan{.warmup = 10, .most_warmup = milliseconds(2000), .iterations = 2};
  ASSERT_TRUE(run_loop(plan, watched, {.meter = &meter}, time.clock()));
  EXPECT_EQ(warm, (std::vector{false, true, true}));
}

TEST(Loop, RunsOnceHoweverLittleTimeThereIs) {
  FakeTime time;
  const auto samples = run_loop({.warmup = 0, .iterations = 100}, time.runs({300}),
                                {.deadline = time.now + milliseconds(1)}, time.clock());
  EXPECT_EQ(samples->measured.size(), 1U);
}

TEST(Loop, KeepsWhatItHasWhenABlockIsEndedFromOutside) {
  FakeTime time;
  std::atomic<bool> stop{false};
  const RunBlock runs = time.runs({300});
  int blocks = 0;
  const RunBlock killed = [&](std::uint64_t iterations,
                              Nanoseconds limit) -> Result<std::vector<Nanoseconds>> {
    if (++blocks < 3) return runs(iterations, limit);
    stop = true;
    return fail(Fault::runtime, "the worker was stopped");
  };
  const auto samples =
      run_loop({.warmup = 0, .iterations = 100}, killed, {.stop = &stop}, time.clock());
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->measured.size(), 2U);
  EXPECT_EQ(samples->end, LoopEnd::stopped);
}

TEST(Loop, AsksForBlocksThatAreShortEnoughToWatch) {
  FakeTime time;
  const RunBlock runs = time.runs({150});
  std::vector<std::uint64_t> asked;
  const RunBlock counted = [&](std::uint64_t iterations, Nanoseconds limit) {
    asked.push_back(iterations);
    EXPECT_LE(limit, block_time);
    return runs(iterations, limit);
  };
  ASSERT_TRUE(run_loop({.warmup = 1, .iterations = 5}, counted, {}, time.clock()));
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{1, 5, 3, 1}));
}

TEST(Loop, CountsTheDurationFromTheEndOfTheWarmup) {
  FakeTime time;
  const auto samples =
      run_loop({.warmup = 1, .duration = milliseconds(10)}, time.runs({500, 4}), {}, time.clock());
  EXPECT_EQ(in_milliseconds(samples->measured), (std::vector{4, 4, 4}));
  EXPECT_EQ(samples->elapsed, milliseconds(12));
}

TEST(Loop, RunsOnceHoweverShortTheDuration) {
  FakeTime time;
  const auto samples =
      run_loop({.warmup = 0, .duration = milliseconds(1)}, time.runs({50}), {}, time.clock());
  EXPECT_EQ(in_milliseconds(samples->measured), (std::vector{50}));
}

TEST(Loop, MeasuresNothingWhenAskedForNothing) {
  FakeTime time;
  const auto samples = run_loop({.warmup = 0, .iterations = 0}, time.runs({1}), {}, time.clock());
  EXPECT_TRUE(samples->measured.empty());
}

TEST(Loop, EndsAfterTheCurrentBlockWhenStopped) {
  FakeTime time;
  std::atomic<bool> stop = false;
  int runs = 0;
  const RunBlock run = blocks_of(time.clock(), [&]() -> Status {
    time.now += milliseconds(100);
    if (++runs == 4) stop = true;
    return done();
  });
  const auto samples =
      run_loop({.warmup = 1, .iterations = 100}, run, {.stop = &stop}, time.clock());
  EXPECT_EQ(samples->end, LoopEnd::stopped);
  EXPECT_EQ(samples->measured.size(), 4u) << "two blocks of two runs";
  EXPECT_EQ(runs, 5);
}

TEST(Loop, CanBeStoppedInTheWarmup) {
  FakeTime time;
  const std::atomic<bool> stop = true;
  int runs = 0;
  const auto samples =
      run_loop({}, blocks_of(time.clock(), [&]() -> Status { return ++runs, done(); }),
               {.stop = &stop}, time.clock());
  EXPECT_EQ(samples->end, LoopEnd::stopped);
  EXPECT_EQ(runs, 0);
}

TEST(Loop, HandsTheErrorOfARunOnAsItIs) {
  FakeTime time;
  int runs = 0;
  const auto samples =
      run_loop({.warmup = 1, .iterations = 5},
               blocks_of(time.clock(),
                         [&]() -> Status {
                           if (++runs == 3)
                             return fail(Fault::runtime, "cannot run", "bad node", "try");
                           return done();
                         }),
               {}, time.clock());
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().what, "cannot run");
  EXPECT_EQ(samples.error().cause, "bad node");
  EXPECT_EQ(runs, 3);
}

TEST(Loop, TellsOthersHowFarItIs) {
  FakeTime time;
  LoopMeter meter;
  const RunBlock runs = time.runs({150, 150, 150, 160});
  std::vector<std::uint64_t> seen;
  const RunBlock watched = [&](std::uint64_t iterations, Nanoseconds limit) {
    seen.push_back(10 * meter.warmup + meter.iterations);
    return runs(iterations, limit);
  };
  ASSERT_TRUE(run_loop({.warmup = 1, .iterations = 3}, watched, {.meter = &meter}, time.clock()));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 10, 12}));
  EXPECT_EQ(meter.iterations, 3u);
  EXPECT_EQ(meter.last_ns, 160'000'000);
  EXPECT_EQ(meter.measured_ns, 460'000'000);
}

TEST(Loop, RefusesABlockWithoutRuns) {
  FakeTime time;
  const RunBlock nothing = [](std::uint64_t, Nanoseconds) -> Result<std::vector<Nanoseconds>> {
    return std::vector<Nanoseconds>();
  };
  const auto samples = run_loop({}, nothing, {}, time.clock());
  EXPECT_EQ(samples.error().what, "the worker ran 0 of 10 iterations");
}

TEST(Loop, RefusesMoreRunsThanItAskedFor) {
  FakeTime time;
  const RunBlock too_many = [](std::uint64_t, Nanoseconds) -> Result<std::vector<Nanoseconds>> {
    return std::vector<Nanoseconds>(4);
  };
  const auto samples = run_loop({.warmup = 3}, too_many, {}, time.clock());
  EXPECT_EQ(samples.error().what, "the worker ran 4 of 3 iterations");
}

TEST(Loop, EndsWhenThereIsNoRoomForMoreSamples) {
  // Runs that take no time at all would fill any room.
  FakeTime time;
  const RunBlock instant = [](std::uint64_t most, Nanoseconds) -> Result<std::vector<Nanoseconds>> {
    return std::vector<Nanoseconds>(most);
  };
  const auto samples =
      run_loop({.warmup = 0, .duration = Nanoseconds(1000)}, instant, {}, time.clock());
  EXPECT_EQ(samples->end, LoopEnd::out_of_room);
  EXPECT_EQ(samples->measured.size(), most_timed_samples);
}

}  // namespace
}  // namespace hone
