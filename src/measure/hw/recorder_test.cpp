#include "measure/hw/recorder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace hone {
namespace {

using namespace std::chrono_literals;

HwProbe counting_probe(std::string name) {
  return {{.name = std::move(name), .unit = "%"},
          [value = 0.0](Nanoseconds) mutable -> std::optional<double> { return value += 10; }};
}

HwChannel measured(std::string name, double mean, double max, double last) {
  HwChannel channel{.name = std::move(name), .unit = ""};
  channel.mean = mean;
  channel.min = mean;
  channel.max = max;
  channel.last = last;
  channel.sample_count = 4;
  return channel;
}

std::vector<HwProbe> two_probes() {
  std::vector<HwProbe> probes;
  probes.push_back(counting_probe("busy"));
  probes.push_back(absent({.name = "clock", .unit = "MHz"}, "this machine has no cpufreq"));
  return probes;
}

TEST(HwRecorder, SummarizesTheReadingsOfAStretchOfTime) {
  HwRecorder recorder(two_probes());
  for (const auto time : {1s, 2s, 3s, 4s}) recorder.sample(time);
  const HwChannel busy = recorder.summarize(2s, 3s).at(0);
  EXPECT_EQ(busy.mean, 25);
  EXPECT_EQ(busy.min, 20);
  EXPECT_EQ(busy.max, 30);
  EXPECT_EQ(busy.last, 30);
  EXPECT_EQ(busy.sample_count, 2u);
  EXPECT_EQ(busy.reason, std::nullopt);
}

TEST(HwRecorder, TakesTheNextReadingForAStretchThatHasNone) {
  HwRecorder recorder(two_probes());
  for (const auto time : {1s, 2s}) recorder.sample(time);
  EXPECT_EQ(recorder.summarize(1200ms, 1300ms).at(0).mean, 20);
}

TEST(HwRecorder, ListsWhatIsAbsentWithItsReason) {
  HwRecorder recorder(two_probes());
  recorder.sample(1s);
  const HwChannel clock = recorder.summarize(0s, 2s).at(1);
  EXPECT_EQ(clock.mean, std::nullopt);
  EXPECT_EQ(clock.reason, "this machine has no cpufreq");
}

TEST(HwRecorder, SaysWhenNothingWasRead) {
  const HwRecorder recorder(two_probes());
  EXPECT_EQ(recorder.summarize(0s, 2s).at(0).reason, "no reading in this time");
}

TEST(HwRecorder, IgnoresReadingsThatFailOrAreNoNumber) {
  std::vector<HwProbe> probes;
  probes.push_back({{.name = "odd", .unit = ""}, [i = 0](Nanoseconds) mutable {
                      const int turn = i++;
                      if (turn == 0) return std::optional<double>();
                      if (turn == 1) return std::optional(std::numeric_limits<double>::infinity());
                      return std::optional(7.0);
                    }});
  HwRecorder recorder(std::move(probes));
  for (const auto time : {1s, 2s, 3s}) recorder.sample(time);
  EXPECT_EQ(recorder.summarize(0s, 9s).at(0).sample_count, 1u);
  EXPECT_EQ(recorder.summarize(0s, 9s).at(0).mean, 7);
}

TEST(HwRecorder, GivesALiveViewTheLatestReadings) {
  HwRecorder recorder(two_probes());
  for (const auto time : {1s, 2s, 3s}) recorder.sample(time);
  const auto series = recorder.readings_since(2s);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].channel.name, "busy");
  ASSERT_EQ(series[0].readings.size(), 2u);
  EXPECT_EQ(series[0].readings[0].time, Nanoseconds(2s));
  EXPECT_EQ(series[0].readings[1].value, 30);
}

TEST(HwRecord, DividesTheProcessByTheCpusOfTheMachine) {
  const auto record = make_hw_record({measured("cpu/process", 120, 200, 150)}, 4);
  EXPECT_EQ(record.cpu.process_mean_pct, 120);
  EXPECT_EQ(record.cpu.mean_pct, 30);
  EXPECT_EQ(record.cpu.peak_pct, 50);
  EXPECT_EQ(record.cpu.sample_count, 4u);
}

TEST(HwRecord, GivesMemoryInMegabytes) {
  constexpr double mb = 1 << 20;
  const auto record = make_hw_record({measured("memory/resident", 10 * mb, 30 * mb, 20 * mb)}, 1);
  EXPECT_EQ(record.ram.mean_mb, 10);
  EXPECT_EQ(record.ram.peak_mb, 30);
  EXPECT_EQ(record.ram.used_mb, 20);
}

TEST(HwRecord, PicksTheBusiestAcceleratorWithItsMemory) {
  constexpr double mb = 1 << 20;
  const auto record = make_hw_record(
      {measured("intel0/utilization", 3, 5, 3), measured("npu0/utilization", 70, 99, 80),
       measured("npu0/memory", 64 * mb, 80 * mb, 64 * mb)},
      1);
  EXPECT_EQ(record.device_kind, "npu");
  EXPECT_EQ(record.adapter->name, "npu0");
  EXPECT_EQ(record.adapter->mean_pct, 70);
  EXPECT_EQ(record.adapter->peak_pct, 99);
  EXPECT_EQ(record.device_memory->local_peak_mb, 80);
}

TEST(HwRecord, HasNoAdapterWhereNoneWasWatched) {
  const auto record = make_hw_record({measured("cpu/process", 1, 1, 1)}, 1);
  EXPECT_FALSE(record.adapter.has_value());
  EXPECT_FALSE(record.device_memory.has_value());
  EXPECT_EQ(record.device_kind, std::nullopt);
}

}  // namespace
}  // namespace hone
