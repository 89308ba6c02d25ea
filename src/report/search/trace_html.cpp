#include "report/search/trace_html.h"

#include <algorithm>
#include <cmath>

#include "report/trace/text.h"

namespace hone {
namespace {

struct TypeTimes {
  std::string type;
  double before_us = 0;
  double after_us = 0;
};

// The largest change first.
std::vector<TypeTimes> times_by_type(const OpTrace& before, const OpTrace& after) {
  std::map<std::string, TypeTimes> times;
  for (const TraceOperator& op : before.operators) times[op.op_type].before_us += op.duration_us;
  for (const TraceOperator& op : after.operators) times[op.op_type].after_us += op.duration_us;
  std::vector<TypeTimes> rows;
  for (auto& [type, row] : times) rows.push_back({type, row.before_us, row.after_us});
  std::ranges::stable_sort(rows, std::ranges::greater{}, [](const TypeTimes& row) {
    const double change = std::abs(row.after_us - row.before_us);
    return std::isfinite(change) ? change : 0;
  });
  return rows;
}

std::string signed_us(double us) {
  const std::string text = text_form::fixed(us, 1);
  if (text == "-0.0") return "0.0";
  return (us > 0 && text != "0.0" ? "+" : "") + text;
}

Html row(const Html& name, const TypeTimes& times) {
  const auto cell = [](std::string_view label, const std::string& text) {
    return element(
        "td", {{"role", "cell"}, {"class", "number"}, {"data-label", std::string(label)}}, text);
  };
  return element("tr", {{"role", "row"}},
                 element("th", {{"scope", "row"}, {"role", "rowheader"}}, name) +
                     cell("Before, us", text_form::fixed(times.before_us, 1)) +
                     cell("After, us", text_form::fixed(times.after_us, 1)) +
                     cell("Change, us", signed_us(times.after_us - times.before_us)));
}

Html headings() {
  Html names = element("th", {{"scope", "col"}, {"role", "columnheader"}}, "Op type");
  for (const char* name : {"Before, us", "After, us", "Change, us"}) {
    names += element("th", {{"scope", "col"}, {"role", "columnheader"}, {"class", "number"}}, name);
  }
  return element("thead", {{"role", "rowgroup"}}, element("tr", {{"role", "row"}}, names));
}

// Times of a tracer that were not reconciled hold its own cost.
Html caution(const SearchTraces& traces) {
  const bool is_reconciled = traces.before->summary.correction && traces.after->summary.correction;
  return element("p", {{"class", "quiet"}},
                 is_reconciled ? "Per inference, reconciled with the untraced run."
                               : "Per inference, with the tracer's own cost: not latencies.");
}

}  // namespace

Html trace_table(const SearchTraces& traces) {
  const bool has_both = traces.before && traces.after && traces.before->has_operators() &&
                        traces.after->has_operators();
  if (!has_both) return {};
  Html rows;
  TypeTimes total;
  for (const TypeTimes& times : times_by_type(*traces.before, *traces.after)) {
    rows += row(element("code", times.type), times);
    total.before_us += times.before_us;
    total.after_us += times.after_us;
  }
  rows += row("all operators", total);
  return element("table", {{"class", "stacks"}, {"role", "table"}},
                 element("caption", "Time in operators of each type, baseline and champion") +
                     headings() + element("tbody", {{"role", "rowgroup"}}, rows)) +
         caution(traces);
}

}  // namespace hone
