#include "ep/sim/pace.h"

#include <gtest/gtest.h>

namespace hone::ep::sim {
namespace {

using namespace std::chrono_literals;
using Clock = Pace::Clock;

Profile profile(double effect, double latency_us, double jitter = 0) {
  Profile made;
  made.effect = effect;
  made.latency_us = latency_us;
  made.session_jitter = jitter;
  return made;
}

// Only the least time is checked: a busy machine may take any time longer.
Clock::duration waited(const Pace& pace, Clock::duration worked) {
  const auto start = Clock::now() - worked;
  pace.wait(start);
  return Clock::now() - start;
}

TEST(SimPace, StretchesTheWorkByTheFactorAndAddsTheLatency) {
  EXPECT_GE(waited(Pace(profile(3, 0), 1), 4ms), 12ms);
  EXPECT_GE(waited(Pace(profile(1, 5000), 1), 4ms), 9ms);
  EXPECT_GE(waited(Pace(profile(2, 3000), 1), 4ms), 11ms);
}

TEST(SimPace, DrawsTheFactorOncePerSessionFromItsSeed) {
  const Profile jittered = profile(2, 0, 0.1);
  EXPECT_EQ(Pace(jittered, 5).factor(), Pace(jittered, 5).factor());
  EXPECT_NE(Pace(jittered, 5).factor(), Pace(jittered, 6).factor());
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const double factor = Pace(jittered, seed).factor();
    EXPECT_GE(factor, 2);
    EXPECT_LT(factor, 2.2);
    sum += factor;
  }
  EXPECT_NEAR(sum / 1000, 2.1, 0.01);
  EXPECT_EQ(Pace(profile(1.02, 0), std::nullopt).factor(), 1.02);
}

}  // namespace
}  // namespace hone::ep::sim
