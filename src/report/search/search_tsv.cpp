#include "report/search/search_tsv.h"

#include <cmath>

#include "base/text.h"
#include "record/csv.h"
#include "report/search/search_view.h"

namespace hone {

struct SearchRow {
  std::string id;
  std::string dimension;
  std::string title;
  std::string recipe_hash;
  ArmOutcome outcome = ArmOutcome::pending;
  std::optional<Verdict> verdict;
  std::optional<double> ratio;
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> accuracy;
  std::string reason;
};
template <RecordOf<SearchRow> Self>
void for_each_field(Self& row, auto&& field) {
  field("id", row.id);
  field("dimension", row.dimension);
  field("title", row.title);
  field("recipe_hash", row.recipe_hash);
  field("outcome", row.outcome);
  field("verdict", row.verdict);
  field("ratio", row.ratio);
  field("low", row.low);
  field("high", row.high);
  field("accuracy", row.accuracy);
  field("reason", row.reason);
}

namespace {

SearchRow row_of(const SearchArm& arm) {
  SearchRow row{.id = printable(arm.hypothesis.id),
                .dimension = printable(arm.hypothesis.dimension),
                .title = printable(arm.hypothesis.title),
                .recipe_hash = printable(arm.recipe_hash),
                .outcome = arm.outcome,
                .verdict = {},
                .ratio = {},
                .low = {},
                .high = {},
                .accuracy = {},
                .reason = printable(arm.reason)};
  if (const ComparedArm* speed = search_view::speed_of(arm)) {
    row.verdict = speed->verdict;
    row.ratio = speed->ratio;
    if (const auto interval = search_view::interval_of(*speed)) {
      row.low = interval->low;
      row.high = interval->high;
    }
    if (row.reason.empty()) row.reason = printable(speed->reason);
  }
  if (arm.accuracy && arm.accuracy->value && std::isfinite(*arm.accuracy->value))
    row.accuracy = arm.accuracy->value;
  return row;
}

}  // namespace

std::string search_tsv(const SearchResult& result) {
  std::string text = csv_header<SearchRow>('\t') + "\n";
  for (const SearchArm& arm : result.arms) text += csv_row(row_of(arm), '\t') + "\n";
  return text;
}

}  // namespace hone
