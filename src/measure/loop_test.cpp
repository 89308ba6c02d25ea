#include "measure/loop.h"

#include <gtest/gtest.h>

#include <string>

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
  std::function<Status()> runs(std::vector<int> milliseconds_each) {
    return [this, times = std::move(milliseconds_each), i = std::size_t{0}]() mutable {
      now += milliseconds(times[std::min(i++, times.size() - 1)]);
      return done();
    };
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

TEST(Loop, LeavesPreparationOutOfTheTime) {
  FakeTime time;
  std::vector<std::uint64_t> prepared;
  LoopHooks hooks;
  hooks.prepare = [&](std::uint64_t i) {
    prepared.push_back(i);
    time.now += milliseconds(100);
    return done();
  };
  const auto samples =
      run_loop({.warmup = 1, .iterations = 2}, time.runs({5}), hooks, time.clock());
  EXPECT_EQ(in_milliseconds(samples->warmup), (std::vector{5}));
  EXPECT_EQ(in_milliseconds(samples->measured), (std::vector{5, 5}));
  EXPECT_EQ(samples->elapsed, milliseconds(210));
  EXPECT_EQ(prepared, (std::vector<std::uint64_t>{0, 1, 2}));
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

TEST(Loop, EndsAfterTheCurrentIterationWhenStopped) {
  FakeTime time;
  std::atomic<bool> stop = false;
  int runs = 0;
  const auto samples = run_loop(
      {.warmup = 1, .iterations = 100},
      [&] {
        if (++runs == 4) stop = true;
        return done();
      },
      {.stop = &stop}, time.clock());
  EXPECT_EQ(samples->end, LoopEnd::stopped);
  EXPECT_EQ(samples->measured.size(), 3u);
  EXPECT_EQ(runs, 4);
}

TEST(Loop, CanBeStoppedInTheWarmup) {
  FakeTime time;
  const std::atomic<bool> stop = true;
  int runs = 0;
  const auto samples = run_loop(
      {}, [&] { return ++runs, done(); }, {.stop = &stop}, time.clock());
  EXPECT_EQ(samples->end, LoopEnd::stopped);
  EXPECT_EQ(runs, 0);
}

TEST(Loop, HandsTheErrorOfARunOnAsItIs) {
  FakeTime time;
  int runs = 0;
  const auto samples = run_loop(
      {.warmup = 1, .iterations = 5},
      [&]() -> Status {
        if (++runs == 3) return fail(Fault::runtime, "cannot run", "bad node", "try another");
        return done();
      },
      {}, time.clock());
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().what, "cannot run");
  EXPECT_EQ(samples.error().cause, "bad node");
  EXPECT_EQ(runs, 3);
}

TEST(Loop, HandsTheErrorOfAPreparationOn) {
  FakeTime time;
  LoopHooks hooks;
  hooks.prepare = [](std::uint64_t) -> Status { return fail(Fault::bad_input, "no sample"); };
  const auto samples = run_loop({}, time.runs({1}), hooks, time.clock());
  EXPECT_EQ(samples.error().what, "no sample");
}

TEST(Loop, TellsOthersHowFarItIs) {
  FakeTime time;
  LoopMeter meter;
  std::vector<std::uint64_t> seen;
  LoopHooks hooks{.meter = &meter};
  hooks.prepare = [&](std::uint64_t) {
    seen.push_back(10 * meter.warmup + meter.iterations);
    return done();
  };
  ASSERT_TRUE(
      run_loop({.warmup = 2, .iterations = 2}, time.runs({7, 7, 1, 2}), hooks, time.clock()));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 10, 20, 21}));
  EXPECT_EQ(meter.iterations, 2u);
  EXPECT_EQ(meter.last_ns, 2'000'000);
  EXPECT_EQ(meter.measured_ns, 3'000'000);
}

TEST(Loop, NeverMovesItsSamples) {
  FakeTime time;
  const auto samples =
      run_loop({.warmup = 0, .duration = milliseconds(2000)}, time.runs({1}), {}, time.clock());
  EXPECT_EQ(samples->measured.size(), 2000u);
  EXPECT_EQ(samples->measured.capacity(), 10'000'001u);
}

TEST(Loop, EndsWhenThereIsNoRoomForMoreSamples) {
  // A body that takes no time at all would fill any room.
  FakeTime time;
  const auto samples = run_loop(
      {.warmup = 0, .duration = Nanoseconds(1000)}, [] { return done(); }, {}, time.clock());
  EXPECT_EQ(samples->end, LoopEnd::out_of_room);
  EXPECT_EQ(samples->measured.size(), 6u);
}

}  // namespace
}  // namespace hone
