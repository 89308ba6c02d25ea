#include "report/search/plan_text.h"

#include <map>

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t widest_name = 40;

std::string hypotheses_text(const SearchResult& plan) {
  std::vector<text_form::Row> rows;
  for (const SearchArm& arm : plan.arms) {
    const Hypothesis& hypothesis = arm.hypothesis;
    std::string reason = hypothesis.reason;
    if (!hypothesis.predicted.empty()) reason += "; " + hypothesis.predicted;
    rows.push_back({hypothesis.id, hypothesis.dimension, reason});
  }
  return text_form::columns(rows, widest_name, "12");
}

// Ideas that share a reason share a line.
std::string skips_text(const SearchResult& plan) {
  std::map<std::string, std::vector<std::string>> by_reason;
  std::vector<std::string> reasons;
  for (const SkippedHypothesis& skip : plan.skips) {
    if (!by_reason.contains(skip.reason)) reasons.push_back(skip.reason);
    by_reason[skip.reason].push_back(printable(skip.id));
  }
  std::string text;
  for (const std::string& reason : reasons)
    text += "  " + printable(reason) + ": " + join(by_reason[reason], ", ") + "\n";
  return text;
}

}  // namespace

std::string describe_plan(const SearchResult& plan) {
  const std::size_t tries = plan.arms.empty() ? 0 : plan.arms.size() - 1;
  return printable(plan.model) + ": " + counted(tries, "hypothesis", "hypotheses") +
         " beside the baseline, in this order\n" + hypotheses_text(plan) + "skipped, " +
         format_count(plan.skips.size()) + "\n" + skips_text(plan);
}

}  // namespace hone
