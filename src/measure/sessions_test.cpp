#include "measure/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::vector<PerfSession> with_medians(const std::vector<double>& medians) {
  std::vector<PerfSession> sessions;
  for (const double median : medians) sessions.push_back({.p50_ms = median, .iterations = 500});
  return sessions;
}

TEST(Sessions, GiveTheGeometricMeanOfTheirMediansWithAnIntervalOverSessions) {
  const PerfSessions seen = summarize_sessions(with_medians({1.0, 1.1, 1.21}));
  EXPECT_NEAR(seen.latency_ms.value(), 1.1, 1e-12);
  // t of two degrees of freedom at 97.5 % is 4.3027; the logs are 0.0953 apart.
  const double width = 4.30265 * std::log(1.1) / std::sqrt(3.0);
  ASSERT_THAT(seen.interval_ms, SizeIs(2));
  EXPECT_NEAR(seen.interval_ms[0], 1.1 * std::exp(-width), 1e-4);
  EXPECT_NEAR(seen.interval_ms[1], 1.1 * std::exp(width), 1e-4);
  EXPECT_NEAR(seen.deviation.value(), 0.1, 1e-9);
  EXPECT_NEAR(seen.spread.value(), 0.21, 1e-9);
}

TEST(Sessions, HaveNoIntervalWhereThereIsOne) {
  const PerfSessions seen = summarize_sessions(with_medians({2.0}));
  EXPECT_EQ(seen.latency_ms, 2.0);
  EXPECT_THAT(seen.interval_ms, IsEmpty());
  EXPECT_EQ(seen.spread, 0);
  EXPECT_FALSE(seen.deviation);
}

TEST(Sessions, LeaveOutWhatIsNoTime) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const PerfSessions seen = summarize_sessions(with_medians({2.0, none, 0, -1, 2.0}));
  EXPECT_THAT(seen.sessions, SizeIs(2));
  EXPECT_NEAR(seen.latency_ms.value(), 2.0, 1e-12);
}

TEST(Sessions, AreNothingWithoutOne) {
  const PerfSessions seen = summarize_sessions({});
  EXPECT_FALSE(seen.latency_ms);
  EXPECT_THAT(seen.interval_ms, IsEmpty());
}

}  // namespace
}  // namespace hone
