#include "measure/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "base/fake_system.h"

namespace hone {
namespace {

constexpr std::uint64_t mb = 1 << 20;

TEST(Memory, ReadsWhatIsResidentNowAndTheMostThereWas) {
  FakeSystem fake;
  fake.with("proc/self/statm", "1000 200 50 1 0 60 0\n")
      .with("proc/self/status", "Name:\thone\nVmHWM:\t    4096 kB\n");
  EXPECT_EQ(read_resident_bytes(fake.roots()),
            200 * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(read_peak_bytes(fake.roots()), 4096u * 1024);
}

TEST(Memory, ReadsAnotherProcess) {
  FakeSystem fake;
  fake.with("proc/42/status", "VmHWM:\t1 kB\n");
  EXPECT_EQ(read_peak_bytes(fake.roots(), "42"), 1024u);
  EXPECT_EQ(read_peak_bytes(fake.roots()), std::nullopt);
}

TEST(Memory, IsUnknownWhereProcIsHidden) {
  const FakeSystem empty;
  EXPECT_EQ(read_resident_bytes(empty.roots()), std::nullopt);
  EXPECT_EQ(read_peak_bytes(empty.roots()), std::nullopt);
  const PerfMemory memory = MemoryWatch("self", empty.roots()).finish();
  EXPECT_EQ(memory.rss_baseline_mb, std::nullopt);
  EXPECT_EQ(memory.rss_peak_mb, std::nullopt);
  EXPECT_EQ(memory.peak_source, std::nullopt);
}

TEST(Memory, GivesThePointsAndTheirDifferencesInMegabytes) {
  MemoryPoints points;
  points.baseline = 100 * mb;
  points.loaded = 177 * mb;
  points.finished = 150 * mb + mb / 2;
  const PerfMemory memory = summarize_memory(points);
  EXPECT_EQ(memory.rss_baseline_mb, 100);
  EXPECT_EQ(memory.rss_after_compile_mb, 177);
  EXPECT_EQ(memory.rss_after_inference_mb, 150.5);
  EXPECT_EQ(memory.rss_model_load_delta_mb, 77);
  EXPECT_EQ(memory.rss_inference_delta_mb, -26.5);
  EXPECT_EQ(memory.rss_total_delta_mb, 50.5);
}

TEST(Memory, TakesTheKernelsPeakWhenItRose) {
  MemoryPoints points;
  points.baseline = 100 * mb;
  points.most_sampled = 180 * mb;
  points.peak_before = 110 * mb;
  points.peak_after = 250 * mb;
  EXPECT_EQ(summarize_memory(points).rss_peak_mb, 250);
  EXPECT_EQ(summarize_memory(points).peak_source, "kernel");
}

TEST(Memory, TakesTheLargestSampleWhenThePeakIsOlder) {
  MemoryPoints points;
  points.baseline = 100 * mb;
  points.loaded = 190 * mb;
  points.most_sampled = 180 * mb;
  points.peak_before = points.peak_after = 900 * mb;
  EXPECT_EQ(summarize_memory(points).rss_peak_mb, 190);
  EXPECT_EQ(summarize_memory(points).peak_source, "sampled");
}

TEST(Memory, DoesNotInventADifferenceFromAMissingPoint) {
  MemoryPoints points;
  points.finished = 5 * mb;
  EXPECT_EQ(summarize_memory(points).rss_total_delta_mb, std::nullopt);
}

TEST(Memory, WatchSeesWhatThisProcessTouches) {
  MemoryWatch watch;
  // Not through an allocator, which may keep what is freed.
  constexpr std::size_t size = 64 * mb;
  void* const touched =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(touched, MAP_FAILED);
  std::memset(touched, 1, size);
  watch.session_is_open({}, {});
  // The kernel's own call: the address sanitizer's munmap keeps the pages.
  ::syscall(SYS_munmap, touched, size);
  watch.runs_are_finished();
  const PerfMemory memory = watch.finish();
  EXPECT_GT(memory.rss_model_load_delta_mb.value(), 32);
  EXPECT_LT(memory.rss_inference_delta_mb.value(), -32);
  EXPECT_GE(memory.rss_peak_mb.value(), memory.rss_after_compile_mb.value() - 1);
}

}  // namespace
}  // namespace hone
