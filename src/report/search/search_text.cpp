#include "report/search/search_text.h"

#include <map>

#include "base/counted.h"
#include "base/text.h"
#include "record/target_name.h"
#include "report/search/search_view.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using text_form::Row;

constexpr std::size_t widest_name = 40;

Row arm_row(const SearchArm& arm) {
  const ComparedArm& speed = *arm.confirmed;
  return {arm.hypothesis.id, search_view::ratio_text(speed),
          search_view::milliseconds(speed.median_ms),
          arm.accuracy ? std::string(name_of(arm.accuracy->verdict)) : "-",
          search_view::verdict_text(speed)};
}

// The baseline stands where its speed puts it.
std::string arms_text(const SearchResult& result) {
  std::vector<Row> rows = {{"arm", "time, baseline = 1", "median", "accuracy", "verdict"}};
  const auto arms = search_view::compared_arms(result);
  const SearchArm* baseline = search_view::baseline_of(result);
  bool is_listed = baseline == nullptr;
  const auto list_baseline = [&] {
    if (!is_listed)
      rows.push_back({baseline->hypothesis.id, "1.000",
                      search_view::milliseconds(result.baseline_ms), "reference", "baseline"});
    is_listed = true;
  };
  for (const SearchArm* arm : arms) {
    if (arm->confirmed->ratio < 1) list_baseline();
    rows.push_back(arm_row(*arm));
  }
  list_baseline();
  return arms.empty() ? "" : text_form::columns(rows, widest_name, "134");
}

// One line for each outcome: "was raced out  3  a, b, c".
std::string others_text(const SearchResult& result) {
  std::map<ArmOutcome, std::vector<std::string>> ids;
  for (const SearchArm* arm : search_view::other_arms(result)) {
    const bool says_how_much = arm->outcome == ArmOutcome::futile && !arm->reason.empty();
    ids[arm->outcome].push_back(printable(arm->hypothesis.id) +
                                (says_how_much ? " (" + printable(arm->reason) + ")" : ""));
  }
  std::vector<Row> rows;
  if (!ids.empty()) rows.push_back({"let go", "arms", ""});
  for (const auto& [outcome, names] : ids) {
    rows.push_back({std::string(search_view::outcome_text(outcome)), format_count(names.size()),
                    join(names, ", ")});
  }
  return text_form::columns(rows, widest_name, "2");
}

std::string champion_text(const SearchResult& result) {
  using search_view::Ships;
  const Ships ships = search_view::what_ships(result);
  const SearchArm* champion = search_view::champion_of(result);
  const SearchArm* shipped = ships == Ships::champion ? champion : search_view::baseline_of(result);
  std::vector<Row> rows;
  if (ships == Ships::nothing) {
    rows.push_back({"ships", "nothing"});
  } else {
    const std::string recipe =
        shipped->recipe_hash.empty() ? "" : ", recipe " + shipped->recipe_hash;
    rows.push_back({"ships", printable(shipped->hypothesis.id) + recipe});
  }
  if (champion != nullptr) {
    if (const ComparedArm* speed = search_view::speed_of(*champion))
      rows.push_back({"time", search_view::ratio_text(*speed) + " of the baseline's"});
    rows.push_back({"accuracy", search_view::accuracy_text(champion->accuracy)});
  }
  return text_form::columns(rows, widest_name, "1");
}

// "0.543 [0.491, 0.600]", or why there is none.
std::string best_text(const TargetBest& best) {
  if (!best.arm) return best.reason;
  ComparedArm speed;
  speed.ratio = best.ratio;
  speed.interval = best.interval;
  return search_view::ratio_text(speed);
}

std::string targets_text(const SearchResult& result) {
  if (result.targets.empty()) return "";
  std::vector<Row> rows = {{"target", "best there", "time, baseline = 1", "median", ""}};
  for (const TargetBest& best : result.targets) {
    rows.push_back({target_name(best.target), best.arm.value_or("-"), best_text(best),
                    search_view::milliseconds(best.median_ms), best.ships ? "ships" : ""});
  }
  return text_form::columns(rows, widest_name, "124");
}

std::string conditions_text(const SearchResult& result) {
  std::string text;
  if (result.confirmation) {
    text += counted(result.confirmation->sessions, "fresh session") + ", margin " +
            search_view::percent(result.confirmation->margin);
  }
  const auto add = [&](std::string_view name, const std::optional<double>& share) {
    if (!share) return;
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + search_view::percent(*share);
  };
  add("noise floor", result.noise_floor);
  add("drift", result.drift);
  add("used by others", result.load);
  if (!text.empty()) text += "\n";
  return text + (result.certificate ? "certified: " : "") +
         printable(search_view::certificate_text(result.certificate)) + "\n";
}

}  // namespace

std::string describe_search(const SearchResult& result) {
  std::string text = printable(result.model) + " on " +
                     printable(search_view::targets_text(result)) + "\n" +
                     printable(search_view::headline(result)) + "\n";
  text += champion_text(result) + targets_text(result) + arms_text(result) + others_text(result);
  if (!result.skips.empty()) {
    text += "skipped " + counted(result.skips.size(), "idea") + ", each with its reason in the " +
            (result.report ? "report" : "JSON") + "\n";
  }
  text += conditions_text(result);
  for (const std::string& note : result.notes) text += "note: " + printable(note) + "\n";
  for (const std::string& command : result.reproduce)
    text += "repeat: " + printable(command) + "\n";
  if (result.report) text += "report: " + printable(*result.report) + "\n";
  return text;
}

}  // namespace hone
