// Through a library that stands in for CUPTI (testing/fake_cupti.cpp): what it records is made up.

#include "runtime/gpu_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::uint64_t system_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

TEST(GpuRecorder, BringsWhatTheLibrarySawOntoTheProfilesClock) {
  const std::uint64_t start = system_ns();
  auto recorder = GpuRecorder::start(HONE_FAKE_CUPTI);
  ASSERT_TRUE(recorder) << recorder.error().what;
  const GpuActivity activity = (*recorder)->finish(start);
  EXPECT_EQ(activity.version, 26u);
  EXPECT_EQ(activity.dropped, 2u);
  ASSERT_THAT(activity.work, SizeIs(4));
  EXPECT_EQ(activity.work[0].name, "sm90_xmma") << "in the order of their start";
  EXPECT_EQ(activity.work[1].name, "gemm(float*, int)");
  EXPECT_DOUBLE_EQ(activity.work[1].duration_us, 30);
  EXPECT_NEAR(activity.work[1].start_us - activity.work[1].launch_us.value(), 40, 1e-6)
      << "the first of the two calls of one number is the launch";
  EXPECT_FALSE(activity.work[0].launch_us);
  EXPECT_EQ(activity.work[2].kind, GpuWorkKind::copy);
  EXPECT_EQ(activity.work[2].name, "device to host");
  EXPECT_EQ(activity.work[2].bytes, 4096u);
  // The library's clock is 7 s ahead; what it saw began with the recording.
  EXPECT_GT(activity.work[0].start_us, 0);
  EXPECT_LT(activity.work[0].start_us, 6e6);
}

TEST(GpuRecorder, LeavesOutRecordsThatMakeNoSense) {
  auto recorder = GpuRecorder::start(HONE_FAKE_CUPTI);
  ASSERT_TRUE(recorder);
  const GpuActivity activity = (*recorder)->finish(system_ns());
  EXPECT_EQ(activity.malformed, 2u) << "one that ends before it starts, one without times";
  EXPECT_EQ(activity.work.back().name, "") << "a kernel without a name is a kernel";
}

TEST(GpuRecorder, SaysWhichLibraryItHasNot) {
  const auto recorder = GpuRecorder::start("no-such-cupti.so");
  ASSERT_FALSE(recorder);
  EXPECT_THAT(recorder.error().what + recorder.error().cause, HasSubstr("no-such-cupti.so"));
}

}  // namespace
}  // namespace hone
