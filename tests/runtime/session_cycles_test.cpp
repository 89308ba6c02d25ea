// Sessions come and go, hundreds of them in one process, and leave nothing behind.

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "runtime/prepared.h"
#include "tests/runtime/with_runtime.h"

#if defined(HONE_SANITIZE)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();  // Debian's g++ has no header
#endif

namespace hone {
namespace {

constexpr int sessions = 200;
// Allocators, thread pools and the registry of kernels settle down in the first few.
constexpr int settling = 50;

constexpr std::int64_t kib = 1024;

// What malloc has handed out and not got back. Resident memory is the coarser measure, and none at
// all with sanitizers: what is freed stays in their quarantine, up to 256 MB.
#if defined(HONE_SANITIZE)
constexpr bool has_quarantine = true;
std::uint64_t allocated_bytes() { return __sanitizer_get_current_allocated_bytes(); }
#else
constexpr bool has_quarantine = false;
std::uint64_t allocated_bytes() {
  const struct mallinfo2 facts = mallinfo2();
  return facts.uordblks + facts.hblkhd;
}
#endif

std::uint64_t resident_bytes() {
  const std::string text = read_file("/proc/self/statm").value();
  constexpr std::uint64_t page = 4096;
  return std::stoull(text.substr(text.find(' '))) * page;
}

std::uint64_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::uint64_t>(std::distance(begin(all), end(all)));
}

struct Holdings {
  std::vector<std::uint64_t> allocated;
  std::vector<std::uint64_t> resident;
  std::vector<std::uint64_t> descriptors;
};

// From the least of the first quarter to the least of the last: what is there for a moment only,
// like a thread that is just ending, does not count.
std::int64_t growth(const std::vector<std::uint64_t>& amounts) {
  const auto quarter = static_cast<std::ptrdiff_t>(amounts.size() / 4);
  const auto first = *std::min_element(amounts.begin(), amounts.begin() + quarter);
  const auto last = *std::min_element(amounts.end() - quarter, amounts.end());
  return static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first);
}

class SessionsOn : public WithRuntime, public testing::WithParamInterface<const char*> {
 protected:
  RunPlan plan() {
    RunPlan plan;
    plan.model = HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
    plan.target.ep = GetParam();
    plan.samples = 1;
    plan.threads = 2;  // so that threads come and go as well
    return plan;
  }

  void open_run_and_close(const RunPlan& plan) {
    const auto session = PreparedRun::open(runtime_, plan);
    ASSERT_TRUE(session) << words_of(session.error());
    ASSERT_EQ(session->session().placement().share_of(plan.target.ep), 1.0);
    ASSERT_TRUE(session->run(0));
    ASSERT_TRUE(session->run_for_outputs(0));
  }
};

TEST_P(SessionsOn, LeaveNoMemoryAndNoOpenFileBehind) {
  const Status registered = runtime_->register_library("hone", HONE_EP_LIBRARY);
  ASSERT_TRUE(registered) << words_of(registered.error());
  Holdings holdings;
  for (std::vector<std::uint64_t>* amounts :
       {&holdings.allocated, &holdings.resident, &holdings.descriptors})
    amounts->reserve(sessions);
  for (int i = 0; i < sessions; ++i) {
    open_run_and_close(plan());
    if (HasFatalFailure()) return;
    if (i < settling) continue;
    holdings.allocated.push_back(allocated_bytes());
    holdings.resident.push_back(resident_bytes());
    holdings.descriptors.push_back(open_descriptors());
  }
  std::printf("growth over %d sessions: %lld bytes allocated, %lld resident\n", sessions - settling,
              static_cast<long long>(growth(holdings.allocated)),
              static_cast<long long>(growth(holdings.resident)));
  // A leak of 4 KiB for each session would come to 452 KiB. Without one we saw 0 bytes allocated
  // with sanitizers; 3 KiB (the caches of threads) and 128 KiB resident without.
  EXPECT_LE(growth(holdings.allocated), 32 * kib);
  if (!has_quarantine) {
    EXPECT_LE(growth(holdings.resident), 384 * kib);
  }
  EXPECT_EQ(growth(holdings.descriptors), 0);
}

INSTANTIATE_TEST_SUITE_P(Targets, SessionsOn, testing::Values("cpu", "sim"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace hone
