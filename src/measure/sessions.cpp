#include "measure/sessions.h"

#include <algorithm>
#include <cmath>

#include "measure/verdict.h"

namespace hone {

PerfSessions summarize_sessions(std::vector<PerfSession> sessions) {
  constexpr double outside = 0.05;  // of the interval, on both sides together
  std::erase_if(sessions, [](const PerfSession& session) {
    return !(std::isfinite(session.p50_ms) && session.p50_ms > 0);
  });
  PerfSessions summary;
  summary.sessions = std::move(sessions);
  if (summary.sessions.empty()) return summary;
  std::vector<double> logs;
  for (const PerfSession& session : summary.sessions) logs.push_back(std::log(session.p50_ms));
  const auto [least, most] = std::ranges::minmax(logs);
  summary.spread = std::expm1(most - least);
  if (logs.size() < 2) {
    summary.latency_ms = summary.sessions.front().p50_ms;
    return summary;
  }
  const RatioEstimate seen = estimate(logs, outside);
  summary.latency_ms = std::exp(seen.theta);
  summary.interval_ms = {std::exp(seen.low), std::exp(seen.high)};
  summary.deviation = std::expm1(seen.deviation);
  return summary;
}

}  // namespace hone
