#include "measure/trace/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/trace/ort_profile.h"
#include "measure/trace/profile_for_tests.h"
#include "measure/trace/reconcile.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto gpu_args = R"("op_name" : "Conv","provider" : "GpuExecutionProvider")";

// Two runs of two nodes that are queued in 10 us each; the second run is 1000 us later.
ProfileForTests two_runs() {
  ProfileForTests profile;
  for (const double at : {1000.0, 2000.0}) {
    profile.run(at, 500);
    profile.event("Node", at + 10, 10, "small_kernel_time", gpu_args);
    profile.event("Node", at + 30, 10, "large_kernel_time", gpu_args);
  }
  return profile;
}

OpTrace trace_of(const std::string& text, std::int64_t warmup = 0) {
  const std::string_view view = text;
  return parse_ort_profiles({&view, 1}, {.warmup = warmup});
}

DeviceWork kernel(std::string node, double start, double duration) {
  return {.name = "gemm", .node = std::move(node), .start_us = start, .duration_us = duration};
}

const TraceOperator& op_of(const OpTrace& trace, const std::string& path) {
  return *std::ranges::find(trace.operators, path, &TraceOperator::op_path);
}

TEST(DeviceTimes, TakeThePlaceOfTheHosts) {
  const std::vector<DeviceRun> runs = {
      {kernel("small", 1050, 5), kernel("large", 1060, 100), kernel("large", 1200, 100)},
      {kernel("small", 2050, 7), kernel("large", 2060, 300)}};
  const OpTrace trace =
      with_device_times(trace_of(two_runs().text()), runs, "GpuExecutionProvider");
  EXPECT_EQ(trace.metadata.times, TraceTimes::device);
  ASSERT_THAT(trace.operators, SizeIs(2));
  EXPECT_EQ(trace.operators[0].op_path, "large") << "the largest by the device comes first";
  EXPECT_THAT(trace.operators[0].samples_us, ElementsAre(200, 300));
  EXPECT_EQ(trace.operators[0].duration_us, 250);
  EXPECT_EQ(trace.operators[0].host_us, 10);
  EXPECT_EQ(trace.operators[1].duration_us, 6);
  ASSERT_THAT(*trace.operators[0].kernels, SizeIs(1));
  EXPECT_EQ(trace.operators[0].kernels->front().name, "gemm");
  EXPECT_EQ(trace.operators[0].kernels->front().calls, 1.5);
}

TEST(DeviceTimes, SayWhenTheDeviceWorkedAndWhenItDidNot) {
  std::vector<DeviceRun> runs = {
      {kernel("large", 100, 50), kernel("small", 120, 50), kernel("", 200, 10)}};
  runs[0].push_back({.kind = GpuWorkKind::copy, .start_us = 210, .duration_us = 30, .bytes = 4096});
  ProfileForTests profile;
  profile.run(0, 400).event("Node", 1, 10, "large_kernel_time", gpu_args);
  profile.event("Node", 20, 10, "small_kernel_time", gpu_args);
  const OpTrace trace = with_device_times(trace_of(profile.text()), runs, "GpuExecutionProvider");
  const TraceGpu& gpu = trace.summary.gpu.value();
  EXPECT_EQ(gpu.kernels, 3);
  EXPECT_EQ(gpu.busy_us, 110) << "100 to 170, 200 to 240";
  EXPECT_EQ(gpu.idle_us, 30) << "170 to 200";
  EXPECT_EQ(gpu.copies, 1);
  EXPECT_EQ(gpu.copy_us, 30);
  EXPECT_EQ(gpu.copy_bytes, 4096);
  EXPECT_EQ(gpu.unmatched_us, 10);
}

TEST(DeviceTimes, LeaveNodesOfOtherProvidersAsTheyAre) {
  ProfileForTests profile;
  profile.run(0, 400).node(10, 50, "on-cpu");
  profile.event("Node", 100, 10, "on-gpu_kernel_time", gpu_args);
  const std::vector<DeviceRun> runs = {{kernel("on-gpu", 110, 70), kernel("on-cpu", 200, 9)}};
  const OpTrace trace = with_device_times(trace_of(profile.text()), runs, "GpuExecutionProvider");
  EXPECT_EQ(op_of(trace, "on-cpu").duration_us, 50);
  EXPECT_FALSE(op_of(trace, "on-cpu").host_us);
  EXPECT_EQ(op_of(trace, "on-gpu").duration_us, 70);
  EXPECT_EQ(trace.summary.gpu->unmatched_us, 9);
}

TEST(DeviceTimes, OfAnotherNumberOfInferencesAreNotUsed) {
  const std::vector<DeviceRun> runs(3);
  const OpTrace trace =
      with_device_times(trace_of(two_runs().text()), runs, "GpuExecutionProvider");
  EXPECT_EQ(trace.metadata.times, TraceTimes::host);
  EXPECT_FALSE(trace.summary.gpu);
  EXPECT_THAT(trace.notes.back(), HasSubstr("cannot be matched"));
}

TEST(DeviceTimes, HaveNoFloorAndTellWhetherTheHostKeepsUp) {
  const std::vector<DeviceRun> runs = {{kernel("small", 1050, 20), kernel("large", 1100, 60)},
                                       {kernel("small", 2050, 20), kernel("large", 2100, 60)}};
  OpTrace trace = with_device_times(trace_of(two_runs().text()), runs, "GpuExecutionProvider");
  const OpTrace slow = reconcile(trace, {.median_us = 400});
  EXPECT_EQ(op_of(slow, "large").duration_us, 60);
  EXPECT_EQ(slow.summary.correction->floor_us, 0);
  EXPECT_DOUBLE_EQ(slow.summary.gpu->busy_share.value(), 0.2);
  EXPECT_TRUE(slow.summary.gpu->is_launch_bound.value());
  EXPECT_EQ(slow.summary.gaps_us, 320);
  const OpTrace fast = reconcile(trace, {.median_us = 100});
  EXPECT_FALSE(fast.summary.gpu->is_launch_bound.value());
}

TEST(WebgpuRuns, AreTheDispatchesInTheWindowOfEachRun) {
  ProfileForTests profile = two_runs();
  profile.event("Api", 1050, 5, "small&Conv&Conv2dMM", "", -1);
  profile.event("Api", 1060, 100, "a&b&Conv&Conv2dMM", "", -1);
  profile.event("Api", 2050, 7, "small&Conv&Conv2dMM", "", -1);
  const std::string text = profile.text();
  const std::string_view view = text;
  const std::vector<DeviceRun> runs = webgpu_runs({&view, 1});
  ASSERT_THAT(runs, SizeIs(2));
  ASSERT_THAT(runs[0], SizeIs(2));
  EXPECT_EQ(runs[0][0].node, "small");
  EXPECT_EQ(runs[0][0].name, "Conv2dMM");
  EXPECT_EQ(runs[0][1].node, "a&b") << "a name may hold what separates";
  EXPECT_THAT(runs[1], SizeIs(1));
}

TEST(WebgpuRuns, AreNoneWhereDispatchesAreOnAnotherClock) {
  ProfileForTests profile = two_runs();
  profile.event("Api", 0, 5, "small&Conv&Conv2dMM", "", -1);
  profile.event("Api", 5, 100, "large&Conv&Conv2dMM", "", -1);
  const std::string text = profile.text();
  const std::string_view view = text;
  EXPECT_THAT(webgpu_runs({&view, 1}), IsEmpty());
  const std::string none = two_runs().text();
  const std::string_view without = none;
  EXPECT_THAT(webgpu_runs({&without, 1}), IsEmpty());
}

GpuWork work(double start, double duration, std::optional<double> launch) {
  return {.name = "sgemm", .start_us = start, .duration_us = duration, .launch_us = launch};
}

TEST(CudaRuns, GoToTheNodeInWhoseTimeTheyWereLaunched) {
  const std::string text = two_runs().text();
  const std::string_view view = text;
  const OrtRuns profile = read_runs({&view, 1}, 0);
  GpuActivity activity;
  activity.work = {work(1100, 5, 1015),         work(1110, 90, 1035), work(1300, 4, 1200),
                   work(1400, 4, std::nullopt), work(2100, 9, 2038),  work(5000, 1, 4000)};
  activity.work.push_back({.kind = GpuWorkKind::copy,
                           .start_us = 2200,
                           .duration_us = -3,
                           .launch_us = 2300,
                           .bytes = 64});
  const std::vector<DeviceRun> runs = cuda_runs(profile, activity);
  ASSERT_THAT(runs, SizeIs(2));
  ASSERT_THAT(runs[0], SizeIs(4));
  EXPECT_EQ(runs[0][0].node, "small");
  EXPECT_EQ(runs[0][1].node, "large");
  EXPECT_EQ(runs[0][2].node, "") << "launched between nodes";
  EXPECT_EQ(runs[0][3].node, "") << "nobody knows when it was launched";
  ASSERT_THAT(runs[1], SizeIs(2)) << "what was launched in no run is left out";
  EXPECT_EQ(runs[1][0].node, "large");
  EXPECT_EQ(runs[1][1].kind, GpuWorkKind::copy);
  EXPECT_EQ(runs[1][1].duration_us, 0) << "a time below zero is none";
}

}  // namespace
}  // namespace hone
