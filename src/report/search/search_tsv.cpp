#include "report/search/search_tsv.h"

#include <cmath>

#include "base/text.h"
#include "record/csv.h"
#include "record/target_name.h"
#include "report/search/search_view.h"

namespace hone {

struct SearchRow {
  std::string id;
  std::string dimension;
  std::string target;
  std::string title;
  std::string recipe_hash;
  ArmOutcome outcome = ArmOutcome::pending;
  std::optional<Verdict> verdict;
  std::optional<double> ratio;
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> ms;
  std::optional<double> accuracy;
  std::string reason;
};
template <RecordOf<SearchRow> Self>
void for_each_field(Self& row, auto&& field) {
  field("id", row.id);
  field("dimension", row.dimension);
  field("target", row.target);
  field("title", row.title);
  field("recipe_hash", row.recipe_hash);
  field("outcome", row.outcome);
  field("verdict", row.verdict);
  field("ratio", row.ratio);
  field("low", row.low);
  field("high", row.high);
  field("ms", row.ms);
  field("accuracy", row.accuracy);
  field("reason", row.reason);
}

namespace {

std::optional<double> if_finite(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? number : std::nullopt;
}

SearchRow row_of(const SearchArm& arm) {
  SearchRow row{.id = printable(arm.hypothesis.id),
                .dimension = printable(arm.hypothesis.dimension),
                .target = printable(target_name(arm.hypothesis.recipe.target)),
                .title = printable(arm.hypothesis.title),
                .recipe_hash = printable(arm.recipe_hash),
                .outcome = arm.outcome,
                .verdict = {},
                .ratio = {},
                .low = {},
                .high = {},
                .ms = {},
                .accuracy = {},
                .reason = printable(arm.reason)};
  if (const ComparedArm* speed = search_view::speed_of(arm)) {
    row.verdict = speed->verdict;
    row.ratio = speed->ratio;
    row.ms = if_finite(speed->median_ms);
    if (const auto interval = search_view::interval_of(*speed)) {
      row.low = interval->low;
      row.high = interval->high;
    }
    if (row.reason.empty()) row.reason = printable(speed->reason);
  }
  if (arm.accuracy) row.accuracy = if_finite(arm.accuracy->value);
  return row;
}

}  // namespace

std::string search_tsv(const SearchResult& result) {
  std::string text = csv_header<SearchRow>('\t') + "\n";
  for (const SearchArm& arm : result.arms) {
    SearchRow row = row_of(arm);
    if (&arm == search_view::baseline_of(result)) row.ms = if_finite(result.baseline_ms);
    text += csv_row(row, '\t') + "\n";
  }
  return text;
}

}  // namespace hone
