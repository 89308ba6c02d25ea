#include "report/trace/diff_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using text_form::fixed;
using text_form::Row;

constexpr std::size_t widest_path = 60;

// Less than this is 0.0 as we print it.
constexpr double smallest_us = 0.05;

std::string signed_us(double us) {
  if (std::abs(us) < smallest_us) return "0.0";
  return (us > 0 ? "+" : "") + fixed(us, 1);
}

std::string us_or_dash(const std::optional<double>& us) { return us ? fixed(*us, 1) : "-"; }

// "-12.5 %"; nothing where there is no before.
std::string change(const std::optional<double>& before, const std::optional<double>& after) {
  if (!before || !after || *before < smallest_us) return "";
  const double percent = (*after / *before - 1) * 100;
  return (percent > 0 ? "+" : "") + fixed(percent, 1) + " %";
}

std::string_view remark(const TraceDiffRow& row) {
  switch (row.match) {
    case TraceMatch::path:
      return "";
    case TraceMatch::type:
      return "matched by type";
    case TraceMatch::only_before:
      return "gone";
    case TraceMatch::only_after:
      return "new";
  }
  return "";
}

Row total_row(std::string_view name, const std::optional<double>& before,
              const std::optional<double>& after) {
  const std::string delta = before && after ? signed_us(*after - *before) : "-";
  return {std::string(name), "",    us_or_dash(before),
          us_or_dash(after), delta, change(before, after)};
}

}  // namespace

std::string describe_diff(const TraceDiff& diff, std::int64_t top) {
  std::vector<Row> rows = {{"", "type", "before us", "after us", "delta us", "", ""}};
  rows.push_back(total_row("total", diff.before.total_us, diff.after.total_us));
  rows.push_back(total_row("in operators", diff.before.accounted_us, diff.after.accounted_us));
  rows.push_back(total_row("in gaps", diff.before.gaps_us, diff.after.gaps_us));
  const std::size_t shown =
      std::min(diff.operators.size(), static_cast<std::size_t>(std::max<std::int64_t>(top, 0)));
  for (std::size_t i = 0; i < shown; ++i) {
    const TraceDiffRow& row = diff.operators[i];
    rows.push_back({row.op_path, row.op_type, us_or_dash(row.before_us), us_or_dash(row.after_us),
                    signed_us(row.delta_us), change(row.before_us, row.after_us),
                    std::string(remark(row))});
  }
  std::string text = text_form::columns(rows, widest_path, "16");
  if (shown < diff.operators.size()) {
    text += "  ... and " + format_count(diff.operators.size() - shown) + " more\n";
  }
  for (const std::string& note : diff.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace hone
