#include "report/search/forest.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/html/axis.h"
#include "report/search/search_view.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using search_view::Interval;

// Shapes tell verdicts apart without colour; the centre of each is 0,0.
struct Shape {
  Verdict verdict;
  std::string_view path;
  std::string_view name;
};
constexpr Shape shapes[] = {
    {Verdict::faster, "M-7 0 L5 -6 L5 6 Z", "faster"},
    {Verdict::slower, "M7 0 L-5 -6 L-5 6 Z", "slower"},
    {Verdict::equivalent, "M-5 -5 H5 V5 H-5 Z", "equivalent"},
    {Verdict::inconclusive, "M-5 0 A5 5 0 1 0 5 0 A5 5 0 1 0 -5 0 Z", "inconclusive"},
};

const Shape& shape_of(Verdict verdict) {
  const auto found = std::ranges::find(shapes, verdict, &Shape::verdict);
  return found == std::end(shapes) ? shapes[3] : *found;
}

Html line(std::string_view kind, const std::string& x1, const std::string& x2, std::string_view y1,
          std::string_view y2) {
  return element("line",
                 {{"class", std::string(kind)},
                  {"x1", x1},
                  {"x2", x2},
                  {"y1", std::string(y1)},
                  {"y2", std::string(y2)}},
                 Html());
}

Html marker(const Shape& shape, const std::string& x) {
  const Html path = element(
      "path", {{"class", "marker " + std::string(shape.name)}, {"d", std::string(shape.path)}},
      Html());
  return element("svg", {{"x", x}, {"y", "50%"}, {"overflow", "visible"}}, path);
}

// What every row has behind its interval: the noise floor, round numbers, and the baseline's 1.
Html backdrop(const Axis& axis, const std::optional<double>& noise_floor) {
  Html html;
  if (noise_floor) {
    const double left = axis.at(1 / (1 + *noise_floor));
    const double right = axis.at(1 + *noise_floor);
    html += element("rect",
                    {{"class", "floor"},
                     {"x", percent_of_plot(left)},
                     {"y", "0"},
                     {"width", percent_of_plot(right - left)},
                     {"height", "100%"}},
                    Html());
  }
  for (const double tick : axis.ticks()) {
    const std::string x = axis.percent(tick);
    html += line("grid", x, x, "0", "100%");
  }
  return html + line("one", axis.percent(1), axis.percent(1), "0", "100%");
}

Html arm_strip(const Axis& axis, const Html& behind, const ComparedArm& arm) {
  Html html = behind;
  if (const auto interval = search_view::interval_of(arm)) {
    const std::string low = axis.percent(interval->low);
    const std::string high = axis.percent(interval->high);
    html += line("interval", low, high, "50%", "50%");
    html += line("end", low, low, "36%", "64%") + line("end", high, high, "36%", "64%");
  }
  html += marker(shape_of(arm.verdict), axis.percent(arm.ratio));
  const std::string label = search_view::ratio_text(arm) + " of the baseline's time, " +
                            std::string(name_of(arm.verdict));
  return element("svg", {{"class", "strip"}, {"role", "img"}, {"aria-label", label}}, html);
}

Html axis_strip(const Axis& axis) {
  Html html;
  for (const double tick : axis.ticks()) {
    html += element("text", {{"x", axis.percent(tick)}, {"y", "60%"}, {"text-anchor", "middle"}},
                    axis.label(tick));
  }
  return element("svg", {{"class", "strip axis"}, {"aria-hidden", "true"}}, html);
}

// The roles say again what the elements are: on a phone their rows are stacked, and browsers then
// no longer take them for a table.
Html cell(std::string_view heading, const Html& inner, std::string_view kind = "") {
  return element(
      "td", {{"role", "cell"}, {"class", std::string(kind)}, {"data-label", std::string(heading)}},
      inner);
}

Html row(const Html& name, const Html& cells) {
  return element("tr", {{"role", "row"}},
                 element("th", {{"scope", "row"}, {"role", "rowheader"}}, name) + cells);
}

Html arm_row(const SearchArm& arm, bool is_champion, const Html& strip) {
  const ComparedArm& speed = *arm.confirmed;
  Html name = element("code", arm.hypothesis.id);
  if (is_champion) name += Html(" ") + element("span", {{"class", "tag"}}, "ships");
  return row(name, cell("", strip, "plot") +
                       cell("Time", search_view::ratio_text(speed), "number") +
                       cell("Median", search_view::milliseconds(speed.median_ms), "number") +
                       cell("Accuracy", arm.accuracy ? std::string(name_of(arm.accuracy->verdict))
                                                     : "not checked") +
                       cell("Verdict", search_view::verdict_text(speed)));
}

Html baseline_row(const SearchResult& result, const SearchArm& baseline, const Html& behind) {
  const Html strip = element("svg", {{"class", "strip"}, {"aria-hidden", "true"}}, behind);
  return row(element("code", baseline.hypothesis.id),
             cell("", strip, "plot") + cell("Time", "1", "number") +
                 cell("Median", search_view::milliseconds(result.baseline_ms), "number") +
                 cell("Accuracy", "reference") + cell("Verdict", "baseline"));
}

Html headings() {
  const auto heading = [](const Html& inner, std::string_view kind = "") {
    return element("th", {{"scope", "col"}, {"role", "columnheader"}, {"class", std::string(kind)}},
                   inner);
  };
  const Html names =
      heading("Arm") + heading(element("span", {{"class", "unseen"}}, "Plot"), "plot") +
      heading("Time, baseline = 1", "number time") + heading("Median", "number median") +
      heading("Accuracy", "accuracy") + heading("Verdict", "judgement");
  return element("thead", {{"role", "rowgroup"}}, element("tr", {{"role", "row"}}, names));
}

Html axis_row(const Axis& axis) {
  const Html cells = cell("", axis_strip(axis), "plot") +
                     element("td", {{"role", "cell"}, {"colspan", "4"}, {"class", "quiet remark"}},
                             "logarithmic; the further left, the faster");
  return element("tfoot", {{"role", "rowgroup"}}, row(Html(), cells));
}

Html legend(const std::optional<double>& noise_floor) {
  Html items;
  for (const Shape& shape : shapes) {
    const Html picture =
        element("svg", {{"class", "key"}, {"aria-hidden", "true"}}, marker(shape, "50%"));
    items += element("li", picture + Html(shape.name));
  }
  if (noise_floor) {
    items += element("li", element("span", {{"class", "key floor"}}, Html()) +
                               Html("noise floor, " + search_view::percent(*noise_floor)));
  }
  return element("ul", {{"class", "legend"}}, items);
}

Axis axis_for(const std::vector<const SearchArm*>& arms, const std::optional<double>& noise_floor) {
  std::vector<double> values = {1};
  if (noise_floor) values.insert(values.end(), {1 + *noise_floor, 1 / (1 + *noise_floor)});
  for (const SearchArm* arm : arms) {
    values.push_back(arm->confirmed->ratio);
    if (const auto interval = search_view::interval_of(*arm->confirmed))
      values.insert(values.end(), {interval->low, interval->high});
  }
  return {AxisScale::logarithmic, values};
}

}  // namespace

Html forest_plot(const SearchResult& result) {
  std::vector<const SearchArm*> arms = search_view::compared_arms(result);
  if (arms.empty()) return {};
  std::ranges::reverse(arms);
  std::optional<double> noise_floor = result.noise_floor;
  if (noise_floor && !(std::isfinite(*noise_floor) && *noise_floor > 0)) noise_floor.reset();

  const Axis axis = axis_for(arms, noise_floor);
  const Html behind = backdrop(axis, noise_floor);
  Html rows;
  for (const SearchArm* arm : arms) {
    const bool is_champion = arm == search_view::champion_of(result);
    rows += arm_row(*arm, is_champion, arm_strip(axis, behind, *arm->confirmed));
  }
  rows += baseline_row(result, *search_view::baseline_of(result), behind);
  const Html caption = element(
      "caption", "Time of each arm as a multiple of the baseline's, with its 95 % interval");
  return element("table", {{"class", "forest stacks"}, {"role", "table"}},
                 caption + headings() + element("tbody", {{"role", "rowgroup"}}, rows) +
                     axis_row(axis)) +
         legend(noise_floor);
}

}  // namespace hone
