#include "measure/cpu_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_system.h"

namespace hone {
namespace {

TEST(CpuClock, IsTheMeanOverCpus) {
  FakeSystem system;
  system.with("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n")
      .with("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000000\n");
  EXPECT_THAT(read_cpu_mhz(system.roots()), testing::Optional(2500.0));
}

TEST(CpuClock, IsNotKnownWhereTheKernelDoesNotTell) {
  FakeSystem system;
  EXPECT_EQ(read_cpu_mhz(system.roots()), std::nullopt);
  system.with("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "<unknown>\n");
  EXPECT_EQ(read_cpu_mhz(system.roots()), std::nullopt);
}

}  // namespace
}  // namespace hone
