#include "measure/sampler.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <semaphore>

namespace hone {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Sampler, TakesAFirstAndALastSampleHoweverLongTheInterval) {
  std::atomic<int> samples = 0;
  std::binary_semaphore first(0);
  Sampler sampler(hours(1), [&] {
    if (++samples == 1) first.release();
  });
  first.acquire();
  sampler.stop();
  EXPECT_EQ(samples, 2);
  sampler.stop();
  EXPECT_EQ(samples, 2);
}

TEST(Sampler, KeepsSamplingUntilItIsStopped) {
  std::atomic<int> samples = 0;
  std::binary_semaphore enough(0);
  {
    Sampler sampler(milliseconds(1), [&] {
      if (++samples == 5) enough.release();
    });
    enough.acquire();
  }
  const int at_the_end = samples;
  EXPECT_GE(at_the_end, 6);
}

TEST(Sampler, RunsOnAThreadThatNoSignalReaches) {
  std::thread::id thread;
  bool is_blocked = false;
  {
    Sampler sampler(hours(1), [&] {
      thread = std::this_thread::get_id();
      sigset_t mask;
      ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      is_blocked = ::sigismember(&mask, SIGINT) == 1;
    });
  }
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_TRUE(is_blocked);
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(::sigismember(&mask, SIGINT), 0);
}

}  // namespace
}  // namespace hone
