#include "record/search_front.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace hone {
namespace {

bool is_finite(const std::optional<double>& value) { return value && std::isfinite(*value); }

// Stopped before a look, an interval means nothing.
bool is_compared(const SearchArm& arm) {
  return arm.outcome == ArmOutcome::confirmed && arm.confirmed && !arm.confirmed->is_cut &&
         std::isfinite(arm.confirmed->ratio) && arm.confirmed->ratio > 0;
}

double ratio_of(const FrontPoint& point) {
  return point.arm->confirmed ? point.arm->confirmed->ratio : 1;
}

FrontPoint point_of(const SearchArm& arm) {
  FrontPoint point{.arm = &arm, .accuracy = *arm.accuracy->value};
  const std::vector<double>& interval = arm.confirmed->interval;
  const bool is_sound = interval.size() == 2 && interval[0] > 0 && interval[0] <= interval[1];
  point.low = is_sound ? interval[0] : 0;
  point.high = is_sound ? interval[1] : std::numeric_limits<double>::infinity();
  point.passes = arm.accuracy->verdict == CheckVerdict::pass;
  return point;
}

// Its own where it went through the gate, else what the arms were compared with.
std::optional<double> accuracy_of_baseline(const SearchArm& baseline, const AccuracyCheck& of_arm) {
  if (baseline.accuracy && is_finite(baseline.accuracy->value)) return baseline.accuracy->value;
  return is_finite(of_arm.reference) ? of_arm.reference : std::nullopt;
}

// A smaller median alone shows nothing: the intervals must lie apart.
bool beats(const FrontPoint& a, const FrontPoint& b) {
  return a.passes && a.accuracy >= b.accuracy && a.high < b.low;
}

}  // namespace

std::vector<FrontPoint> front_points(const std::vector<const SearchArm*>& arms) {
  std::vector<FrontPoint> points;
  if (arms.empty()) return points;
  const AccuracyCheck* first = nullptr;
  for (const SearchArm* arm : std::span(arms).subspan(1)) {
    if (!is_compared(*arm) || !arm->accuracy || !is_finite(arm->accuracy->value)) continue;
    if (first == nullptr) first = &*arm->accuracy;
    if (arm->accuracy->metric == first->metric) points.push_back(point_of(*arm));
  }
  if (first == nullptr) return points;
  if (const auto accuracy = accuracy_of_baseline(*arms.front(), *first))
    points.push_back({.arm = arms.front(), .accuracy = *accuracy});
  std::ranges::stable_sort(points, {}, ratio_of);
  for (FrontPoint& point : points) {
    point.is_best = point.passes && std::ranges::none_of(points, [&](const FrontPoint& other) {
                      return beats(other, point);
                    });
  }
  return points;
}

}  // namespace hone
