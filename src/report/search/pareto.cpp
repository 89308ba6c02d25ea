#include "report/search/pareto.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "record/search_front.h"
#include "report/html/axis.h"
#include "report/search/search_view.h"
#include "report/trace/text.h"

namespace hone {
namespace {

struct Point {
  std::string id;
  double ms = 0;
  double accuracy = 0;
  bool passes = true;
  bool is_best = false;  // no other is as accurate and shown to be faster
};

// The fastest first: what the search calls its front, with the times of its arms.
std::vector<Point> points_of(const SearchResult& result, std::string& metric) {
  std::vector<const SearchArm*> arms;
  for (const SearchArm& arm : result.arms) arms.push_back(&arm);
  std::vector<Point> points;
  for (const FrontPoint& point : front_points(arms)) {
    const bool is_baseline = point.arm == search_view::baseline_of(result);
    const auto ms = is_baseline ? result.baseline_ms : point.arm->confirmed->median_ms;
    if (!ms || !std::isfinite(*ms)) continue;
    if (!is_baseline) metric = point.arm->accuracy->metric;
    points.push_back({.id = point.arm->hypothesis.id,
                      .ms = *ms,
                      .accuracy = point.accuracy,
                      .passes = point.passes,
                      .is_best = point.is_best});
  }
  std::ranges::stable_sort(points, {}, &Point::ms);
  return points;
}

std::string from_top(const Axis& axis, double value) {
  return percent_of_plot(100 - axis.at(value));
}

Html line(std::string_view kind, const std::string& x1, const std::string& y1,
          const std::string& x2, const std::string& y2) {
  return element("line",
                 {{"class", std::string(kind)}, {"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}},
                 Html());
}

// The labels stand outside of the plot's box, in the margins that its style leaves for them.
Html grid(const Axis& x, const Axis& y) {
  Html html;
  for (const double tick : x.ticks()) {
    html += line("grid", x.percent(tick), "0", x.percent(tick), "100%");
    html += element(
        "text", {{"x", x.percent(tick)}, {"y", "100%"}, {"dy", "18"}, {"text-anchor", "middle"}},
        x.label(tick));
  }
  for (const double tick : y.ticks()) {
    html += line("grid", "0", from_top(y, tick), "100%", from_top(y, tick));
    html += element(
        "text",
        {{"x", "0"}, {"y", from_top(y, tick)}, {"dx", "-8"}, {"dy", "4"}, {"text-anchor", "end"}},
        y.label(tick));
  }
  return html;
}

// A staircase: what lies between two of the best is reached by the worse of them.
Html front(const std::vector<Point>& points, const Axis& x, const Axis& y) {
  Html html;
  const Point* last = nullptr;
  for (const Point& point : points) {
    const bool is_step = point.is_best && (last == nullptr || point.accuracy > last->accuracy);
    if (!is_step) continue;
    if (last != nullptr) {
      html += line("front", x.percent(last->ms), from_top(y, last->accuracy), x.percent(point.ms),
                   from_top(y, last->accuracy));
      html += line("front", x.percent(point.ms), from_top(y, last->accuracy), x.percent(point.ms),
                   from_top(y, point.accuracy));
    }
    last = &point;
  }
  return html;
}

Html numbered_point(const Point& point, std::size_t number, const Axis& x, const Axis& y) {
  const std::string kind = point.is_best ? "best" : point.passes ? "beaten" : "failed";
  const std::string at_x = x.percent(point.ms), at_y = from_top(y, point.accuracy);
  return element("circle", {{"class", "point " + kind}, {"cx", at_x}, {"cy", at_y}, {"r", "11"}},
                 Html()) +
         element("text",
                 {{"class", "point " + kind},
                  {"x", at_x},
                  {"y", at_y},
                  {"dy", "4"},
                  {"text-anchor", "middle"}},
                 std::to_string(number));
}

// The best lie above the others where they meet.
Html numbered(const std::vector<Point>& points, const Axis& x, const Axis& y) {
  Html below, above;
  for (std::size_t i = 0; i < points.size(); ++i)
    (points[i].is_best ? above : below) += numbered_point(points[i], i + 1, x, y);
  return below + above;
}

Html names(const std::vector<Point>& points, const std::string& metric) {
  Html items;
  for (const Point& point : points) {
    const std::string remark = point.is_best  ? ""
                               : point.passes ? ", another is as accurate and faster"
                                              : ", not shown to be accurate enough";
    items += element("li", element("code", point.id) +
                               Html(": " + search_view::milliseconds(point.ms) + ", " + metric +
                                    " " + text_form::fixed(point.accuracy, 4) + remark));
  }
  return element("ol", {{"class", "points"}}, items);
}

}  // namespace

Html pareto_plot(const SearchResult& result) {
  std::string metric;
  const std::vector<Point> points = points_of(result, metric);
  if (points.size() < 2) return {};
  std::vector<double> ms, accuracies;
  for (const Point& point : points) {
    ms.push_back(point.ms);
    accuracies.push_back(point.accuracy);
  }
  // Points on one line are no trade to draw.
  const auto shown = [](double value) { return text_form::fixed(value, 4); };
  const bool are_all_alike = std::ranges::all_of(
      accuracies, [&](double value) { return shown(value) == shown(accuracies.front()); });
  if (are_all_alike) {
    return element("p", "There is nothing to trade: " + metric + " is " +
                            shown(accuracies.front()) + " for all " +
                            counted(points.size(), "arm") + " that were compared.");
  }
  const Axis x(AxisScale::linear, ms), y(AxisScale::linear, accuracies);
  const Html plot = grid(x, y) + front(points, x, y) + numbered(points, x, y);
  const std::string label = metric + " against the median latency of " +
                            counted(points.size(), "arm") + "; the list below has the figures";
  return element(
      "figure", {{"class", "pareto"}},
      element(
          "figcaption",
          Html(metric + " (upwards is better) against median latency in ms (left is better). No "
                        "other arm is as accurate as a filled one and shown to be faster.")) +
          element("svg", {{"role", "img"}, {"aria-label", label}}, plot) + names(points, metric));
}

}  // namespace hone
