#include "base/cgroup.h"

#include <gtest/gtest.h>

#include "base/fake_system.h"

namespace hone {
namespace {

TEST(Cgroup, TakesTheTightestLimitOnTheWayUp) {
  FakeSystem fake;
  fake.with("proc/self/cgroup", "0::/outer/inner\n")
      .with("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n")
      .with("sys/fs/cgroup/outer/cpu.max", "200000 100000\n")
      .with("sys/fs/cgroup/outer/inner/memory.max", "4000\n")
      .with("sys/fs/cgroup/outer/memory.max", "3000\n");
  const CgroupLimits limits = read_cgroup_limits(fake.roots());
  EXPECT_EQ(limits.cpus, 2.0);
  EXPECT_EQ(limits.memory_bytes, 3000u);
}

TEST(Cgroup, SeesNoLimitWhereTheKernelSaysMax) {
  FakeSystem fake;
  fake.with("proc/self/cgroup", "0::/\n")
      .with("sys/fs/cgroup/cpu.max", "max 100000\n")
      .with("sys/fs/cgroup/memory.max", "max\n");
  const CgroupLimits limits = read_cgroup_limits(fake.roots());
  EXPECT_EQ(limits.cpus, std::nullopt);
  EXPECT_EQ(limits.memory_bytes, std::nullopt);
}

TEST(Cgroup, ReadsVersionOneWithJoinedControllers) {
  FakeSystem fake;
  fake.with("proc/self/cgroup", "5:cpu,cpuacct:/box\n4:memory:/box\n")
      .with("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "50000\n")
      .with("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n")
      .with("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n");
  const CgroupLimits limits = read_cgroup_limits(fake.roots());
  EXPECT_EQ(limits.cpus, 0.5);
  EXPECT_EQ(limits.memory_bytes, std::nullopt);
}

TEST(Cgroup, FindsTheLimitOfAContainerThatSeesOnlyItsOwnRoot) {
  FakeSystem fake;
  fake.with("proc/self/cgroup", "0::/docker/0123456789ab\n")
      .with("sys/fs/cgroup/memory.max", "1048576\n");
  EXPECT_EQ(read_cgroup_limits(fake.roots()).memory_bytes, 1048576u);
}

TEST(Cgroup, CountsThrottlingInMicroseconds) {
  FakeSystem fake;
  fake.with("proc/self/cgroup", "0::/box\n")
      .with("sys/fs/cgroup/box/cpu.stat",
            "usage_usec 100\nnr_periods 9\nnr_throttled 3\nthrottled_usec 4500\n");
  EXPECT_EQ(read_cpu_throttling(fake.roots())->periods, 3);
  EXPECT_EQ(read_cpu_throttling(fake.roots())->microseconds, 4500);
  fake.with("proc/self/cgroup", "2:cpu:/old\n")
      .with("sys/fs/cgroup/cpu/old/cpu.stat",
            "nr_periods 9\nnr_throttled 2\nthrottled_time 7000\n");
  EXPECT_EQ(read_cpu_throttling(fake.roots())->microseconds, 7);
}

TEST(Cgroup, KnowsNothingWithoutGroups) {
  const FakeSystem empty;
  EXPECT_EQ(read_cgroup_limits(empty.roots()).cpus, std::nullopt);
  EXPECT_FALSE(read_cpu_throttling(empty.roots()).has_value());
}

}  // namespace
}  // namespace hone
