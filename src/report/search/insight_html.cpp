#include "report/search/insight_html.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/text.h"
#include "report/search/search_view.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t most_changes = 8;

Html fact(std::string_view name, const Html& value) {
  return element("dt", name) + element("dd", value);
}

std::string number(double value) {
  const bool is_whole = std::isfinite(value) && value == std::floor(value);
  return text_form::fixed(value, is_whole ? 0 : 4);
}

Html features(const SearchResult& result) {
  if (result.features.empty()) return {};
  Html facts;
  for (const auto& [name, value] : result.features) facts += fact(name, number(value));
  return element("details", element("summary", "Features of the baseline's graph (" +
                                                   format_count(result.features.size()) + ")") +
                                element("dl", {{"class", "facts"}}, facts));
}

// The verdict, or why there is none: the outcomes themselves stand above, once for all arms of
// them. Of an arm that was not reached there is no more to say.
std::string short_outcome(const SearchArm& arm) {
  if (const ComparedArm* speed = search_view::speed_of(arm))
    return std::string(name_of(speed->verdict));
  if (arm.outcome == ArmOutcome::pending) return {};
  if (arm.same_as) return "the same as " + *arm.same_as;
  constexpr std::size_t longest = 80;
  const bool is_short = !arm.reason.empty() && arm.reason.size() <= longest &&
                        arm.reason.find('\n') == std::string::npos;
  return is_short ? arm.reason : std::string(search_view::outcome_text(arm.outcome));
}

Html outcome(const SearchArm& arm) {
  std::string text(search_view::outcome_text(arm.outcome));
  if (const ComparedArm* speed = search_view::speed_of(arm))
    text += ": " + search_view::verdict_text(*speed) + ", " + search_view::ratio_text(*speed) +
            " of the baseline's time";
  if (arm.same_as) text += ", the same as " + *arm.same_as;
  if (arm.fault) text += " (" + *arm.fault + ")";
  return text;
}

Html facts_of(const SearchArm& arm, const std::optional<BuiltModel>& baseline) {
  const Hypothesis& hypothesis = arm.hypothesis;
  Html facts;
  if (!hypothesis.reason.empty()) facts += fact("Why", hypothesis.reason);
  if (!hypothesis.predicted.empty()) facts += fact("Predicted", hypothesis.predicted);
  const std::string changes = operator_changes(baseline, arm.built);
  if (!changes.empty()) facts += fact("Found", changes);
  facts += fact("Outcome", outcome(arm));
  if (!arm.reason.empty()) facts += fact("Details", element("pre", arm.reason));
  if (arm.built) {
    facts +=
        fact("Built", counted(arm.built->nodes, "node") + ", " + format_bytes(arm.built->bytes));
  }
  if (arm.numerics) facts += fact("Numerics", search_view::accuracy_text(arm.numerics));
  if (arm.accuracy) facts += fact("Accuracy", search_view::accuracy_text(arm.accuracy));
  if (!hypothesis.findings.empty()) facts += fact("Findings", join(hypothesis.findings, ", "));
  if (!arm.recipe_hash.empty()) facts += fact("Recipe", element("code", arm.recipe_hash));
  return element("dl", {{"class", "facts"}}, facts);
}

Html title(std::string_view title, std::string_view id, std::string_view dimension) {
  Html html = element("strong", title.empty() ? id : title);
  if (!dimension.empty()) html += Html(" ") + element("span", {{"class", "tag"}}, dimension);
  return html + Html(" ") + element("code", id);
}

Html hypotheses(const SearchResult& result) {
  const SearchArm* baseline = search_view::baseline_of(result);
  Html items;
  for (const SearchArm& arm : result.arms) {
    if (&arm == baseline) continue;
    const Hypothesis& hypothesis = arm.hypothesis;
    const Html summary = element(
        "summary", title(hypothesis.title, hypothesis.id, hypothesis.dimension) + Html(" ") +
                       element("span", {{"class", "outcome"}}, short_outcome(arm)));
    items += element("li", element("details", summary + facts_of(arm, baseline->built)));
  }
  if (items.empty()) return element("p", "No hypothesis was tried.");
  return element("ul", {{"class", "ideas"}}, items);
}

Html skips(const SearchResult& result) {
  if (result.skips.empty()) return element("p", "Nothing was skipped.");
  Html items;
  for (const SkippedHypothesis& skip : result.skips) {
    Html item = title(skip.title, skip.id, skip.dimension) + element("p", skip.reason);
    if (skip.finding) item += element("p", Html("Ruled out by ") + element("code", *skip.finding));
    items += element("li", item);
  }
  return element("details", element("summary", "Skipped: " + counted(result.skips.size(), "idea") +
                                                   ", each with its reason") +
                                element("ul", {{"class", "ideas"}}, items));
}

// Without a script the field would do nothing, so the script shows it.
Html filter() {
  return element("p", {{"class", "filter"}, {"id", "filter"}, {"hidden", ""}},
                 element("label", {{"for", "filter-words"}}, "Filter hypotheses and skips") +
                     void_element("input", {{"id", "filter-words"}, {"type", "search"}}) +
                     element("output", {{"id", "filter-count"}, {"for", "filter-words"}}, Html()));
}

}  // namespace

std::string operator_changes(const std::optional<BuiltModel>& baseline,
                             const std::optional<BuiltModel>& arm) {
  if (!baseline || !arm) return "";
  std::map<std::string, std::int64_t> differences = arm->op_counts;
  for (const auto& [type, count] : baseline->op_counts) differences[type] -= count;
  std::vector<std::pair<std::string, std::int64_t>> changes;
  for (const auto& change : differences)
    if (change.second != 0) changes.push_back(change);
  std::ranges::stable_sort(changes, std::ranges::greater{}, [](const auto& change) {
    return std::abs(static_cast<double>(change.second));
  });
  std::vector<std::string> words;
  for (const auto& [type, difference] : changes) {
    if (words.size() == most_changes) {
      words.push_back("and " + std::to_string(changes.size() - most_changes) + " more");
      break;
    }
    words.push_back(type + (difference > 0 ? " +" : " ") + std::to_string(difference));
  }
  return join(words, ", ");
}

Html insight_section(const SearchResult& result) {
  return filter() + element("h3", "Hypotheses") + hypotheses(result) + element("h3", "Skipped") +
         skips(result) + features(result);
}

}  // namespace hone
