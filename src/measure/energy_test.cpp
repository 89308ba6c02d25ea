#include "measure/energy.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone {
namespace {

HwMonitorRecord watched(double watts, std::uint64_t readings, double duration_ms = 2000) {
  HwMonitorRecord record;
  record.duration_ms = duration_ms;
  record.adapter = HwAdapter{.name = "nvidia0", .mean_pct = 90, .peak_pct = 99, .sample_count = 20};
  record.channels.push_back({.name = "nvidia0/energy_rate",
                             .unit = "W",
                             .description = "H200: by its energy counter",
                             .mean = watts,
                             .sample_count = readings});
  return record;
}

TEST(Energy, IsTheCountersPowerOverTheRunsItWasCountedIn) {
  const auto energy = energy_of(watched(300, 20), 1000, 4);
  ASSERT_TRUE(energy);
  EXPECT_DOUBLE_EQ(energy->joules_per_inference, 0.6);
  EXPECT_DOUBLE_EQ(energy->joules_per_sample.value(), 0.15);
  EXPECT_DOUBLE_EQ(energy->mean_watts, 300);
  EXPECT_EQ(energy->source, "H200: by its energy counter");
}

TEST(Energy, IsNotMadeOfAStretchThatIsTooShort) {
  EXPECT_FALSE(energy_of(watched(300, 4), 1000, 1));
  EXPECT_FALSE(energy_of(watched(300, 20), 0, 1));
  EXPECT_FALSE(energy_of(watched(300, 20, 0), 10, 1));
}

TEST(Energy, IsNotMadeOfWhatIsNoPower) {
  EXPECT_FALSE(energy_of(watched(0, 20), 1000, 1));
  EXPECT_FALSE(energy_of(watched(-5, 20), 1000, 1));
  EXPECT_FALSE(energy_of(watched(std::numeric_limits<double>::infinity(), 20), 1000, 1));
}

TEST(Energy, IsOnlyThatOfTheDeviceThatWorked) {
  HwMonitorRecord record = watched(300, 20);
  record.adapter->name = "nvidia1";
  EXPECT_FALSE(energy_of(record, 1000, 1));
  record.adapter.reset();
  EXPECT_FALSE(energy_of(record, 1000, 1));
}

}  // namespace
}  // namespace hone
