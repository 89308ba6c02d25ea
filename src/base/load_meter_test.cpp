#include "base/load_meter.h"

#include <gtest/gtest.h>

#include "base/fake_system.h"

namespace hone {
namespace {

// A line of /proc/PID/stat with its times: of itself, and of its children that have ended.
std::string process(int id, int parent, int own, int ended = 0) {
  return std::to_string(id) + " (a (strange) name) S " + std::to_string(parent) +
         " 1 1 0 -1 0 0 0 0 0 " + std::to_string(own) + " 0 " + std::to_string(ended) +
         " 0 20 0 1 0 0\n";
}

// Two CPUs; we are process 7 and have started 8; 9 is somebody else.
FakeSystem machine() {
  FakeSystem fake;
  fake.with(
          "proc/stat",
          "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nintr 1\n")
      .with("proc/self/status", "Name:\thone\nCpus_allowed_list:\t0-1\n")
      .with("proc/self/stat", process(7, 1, 0))
      .with("proc/7/stat", process(7, 1, 0))
      .with("proc/8/stat", process(8, 7, 0))
      .with("proc/9/stat", process(9, 1, 0));
  return fake;
}

TEST(LoadMeter, CountsWhatNeitherWeNorOurWorkersUsed) {
  FakeSystem fake = machine();
  const LoadMeter meter(fake.roots());
  // 200 ticks: 20 of ours, 80 of our worker, 60 of another, 10 stolen, 30 of nobody.
  fake.with("proc/stat", "cpu0 50 0 30 10 0 0 0 10 0 0\ncpu1 60 10 5 15 5 5 0 0 0 0\n")
      .with("proc/7/stat", process(7, 1, 20))
      .with("proc/8/stat", process(8, 7, 80))
      .with("proc/9/stat", process(9, 1, 60));
  const auto load = meter.so_far();
  ASSERT_TRUE(load);
  EXPECT_DOUBLE_EQ(load->others, 0.3);
  EXPECT_DOUBLE_EQ(load->stolen, 0.05);
}

TEST(LoadMeter, AWorkerThatHasEndedWasOurs) {
  FakeSystem fake = machine();
  const LoadMeter meter(fake.roots());
  fake.with("proc/stat", "cpu0 100 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0 0 0\n")
      .with("proc/7/stat", process(7, 1, 10, 90))
      .without("proc/8");
  ASSERT_TRUE(meter.so_far());
  EXPECT_EQ(meter.so_far()->others, 0);
}

TEST(LoadMeter, AWorkersOwnChildrenAreOurs) {
  FakeSystem fake = machine();
  fake.with("proc/12/stat", process(12, 8, 0));
  const LoadMeter meter(fake.roots());
  fake.with("proc/stat", "cpu0 100 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0 0 0\n")
      .with("proc/12/stat", process(12, 8, 100));
  EXPECT_EQ(meter.so_far().value().others, 0);
}

TEST(LoadMeter, LooksOnlyAtTheCpusWeMayRunOn) {
  FakeSystem fake = machine();
  fake.with("proc/self/status", "Cpus_allowed_list:\t1\n");
  const LoadMeter meter(fake.roots());
  fake.with("proc/stat", "cpu0 100 0 0 0 0 0 0 0 0 0\ncpu1 25 0 0 75 0 0 0 0 0 0\n");
  EXPECT_DOUBLE_EQ(meter.so_far().value().others, 0.25);
}

TEST(LoadMeter, StartsAgainWhenToldTo) {
  FakeSystem fake = machine();
  LoadMeter meter(fake.roots());
  fake.with("proc/stat", "cpu0 100 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0 0 0\n");
  meter.start();
  fake.with("proc/stat", "cpu0 100 0 0 100 0 0 0 0 0 0\ncpu1 0 0 0 200 0 0 0 0 0 0\n");
  EXPECT_EQ(meter.so_far().value().others, 0);
}

TEST(LoadMeter, OursIsNeverLessThanNothingToOthers) {
  FakeSystem fake = machine();
  const LoadMeter meter(fake.roots());
  fake.with("proc/stat", "cpu0 99 0 0 1 0 0 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0 0 0\n")
      .with("proc/8/stat", process(8, 7, 101));
  EXPECT_EQ(meter.so_far().value().others, 0);
}

TEST(LoadMeter, SaysNothingForTooShortATime) {
  FakeSystem fake = machine();
  const LoadMeter meter(fake.roots());
  fake.with("proc/stat", "cpu0 9 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 9 0 0 0 0 0 0\n");
  EXPECT_FALSE(meter.so_far());
}

TEST(LoadMeter, SaysNothingWhereTheKernelDoesNotTell) {
  const FakeSystem fake;
  EXPECT_FALSE(LoadMeter(fake.roots()).so_far());
}

}  // namespace
}  // namespace hone
