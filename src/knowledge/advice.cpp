#include "knowledge/advice.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "knowledge/confirmation.h"
#include "knowledge/predicate.h"
#include "record/predicate_text.h"

namespace hone {
namespace {

// Does the change make the one the finding is about: not, among others, or exactly?
enum class Overlap { none, part, exact };

// "w8a8+per_channel" has the words of "w8a8".
bool has_words(const std::string& key, const std::string& words) {
  const std::vector<std::string> has = split(key, '+');
  return std::ranges::all_of(split(words, '+'), [&](const std::string& word) {
    return std::ranges::find(has, word) != has.end();
  });
}

Overlap overlap_of(const Change& claimed, const Change& change) {
  if (claimed.dimension != change.dimension) return Overlap::none;
  std::vector<std::string> keys = change.keys;
  if (change.dimension == "optimize") {
    for (std::string& key : keys) std::ranges::replace(key, '-', '_');
  }
  const auto is_made = [&](const std::string& key) { return std::ranges::count(keys, key) > 0; };
  const bool are_alternatives = change.dimension == "opset" || change.dimension == "precision";
  if (are_alternatives) {
    if (std::ranges::any_of(claimed.keys, is_made)) return Overlap::exact;
    const auto is_in_one = [&](const std::string& key) {
      return std::ranges::any_of(keys, [&](const std::string& one) { return has_words(one, key); });
    };
    return std::ranges::any_of(claimed.keys, is_in_one) ? Overlap::part : Overlap::none;
  }
  if (!std::ranges::all_of(claimed.keys, is_made)) return Overlap::none;
  return claimed.keys.size() == keys.size() ? Overlap::exact : Overlap::part;
}

// What the status comes to here and now, and why.
struct Standing {
  FindingStatus status = FindingStatus::draft;
  std::string why{};
};

Standing standing_of(const Finding& finding, const Situation& situation) {
  if (finding.status != FindingStatus::confirmed) return {finding.status};
  if (const FindingTrial* against = counterexample(finding, situation)) {
    return {FindingStatus::draft, "open again: it did not hold on " + against->model};
  }
  if (!is_covered(finding, situation)) {
    return {FindingStatus::stale,
            "as stale: it was not seen with this ONNX Runtime and this version of the EP"};
  }
  if (!has_independent_pair(trials_like(finding.scope.validated_on, situation))) {
    return {FindingStatus::draft,
            "as a draft: it was not seen twice independently in this major version of the EP"};
  }
  return {FindingStatus::confirmed};
}

// How far a finding may move an arm. The steps are an order and not measurements: what was
// confirmed counts more than any draft, and runs that took turns more than those that did not.
double weight_of(FindingStatus status, const std::optional<FindingEffect>& effect) {
  if (status == FindingStatus::confirmed) return 1;
  if (status == FindingStatus::stale) return 0.25;
  const EffectMethod method = effect ? effect->method : EffectMethod::anecdote;
  if (method == EffectMethod::interleaved) return 0.5;
  return method == EffectMethod::sequential ? 0.25 : 0.125;
}

double sign_of(FindingAdvice advice) {
  if (advice == FindingAdvice::none) return 0;
  return advice == FindingAdvice::prefer ? 1 : -1;
}

std::string last_words(const Finding& finding) {
  return finding.history.empty() ? "" : ": " + finding.history.back().why;
}

std::string why_it_does_nothing(const Finding& finding, Truth matches) {
  if (finding.status == FindingStatus::refuted) return "refuted" + last_words(finding);
  if (finding.status == FindingStatus::superseded) {
    return "superseded by " + finding.superseded_by.value_or("another");
  }
  if (matches == Truth::no) return "it holds only where " + describe(finding.when);
  return finding.advice == FindingAdvice::none ? "it gives no advice" : "";
}

// What keeps a finding that says `skip` from ruling the change out; empty when nothing does.
std::string objection_to_pruning(const Standing& standing, Truth matches, Overlap overlap) {
  if (matches == Truth::unknown) return "it is not known whether it applies here";
  if (standing.status == FindingStatus::draft && standing.why.empty()) {
    return "a draft orders and never rules out";
  }
  if (standing.status != FindingStatus::confirmed) return standing.why;
  return overlap == Overlap::exact ? "" : "it is about a part of this change";
}

FindingRuling rule_on_one(const Finding& finding, const Situation& situation, Overlap overlap) {
  FindingRuling ruling{.finding = finding.id, .status = finding.status};
  ruling.matches = evaluate(finding.when, situation);
  ruling.why = why_it_does_nothing(finding, ruling.matches);
  if (!ruling.why.empty()) return ruling;

  const Standing standing = standing_of(finding, situation);
  const double certainty = ruling.matches == Truth::unknown ? 0.5 : 1;
  const double share = overlap == Overlap::part ? 0.5 : 1;
  ruling.does = RulingKind::orders;
  ruling.priority_delta =
      sign_of(finding.advice) * weight_of(standing.status, finding.effect) * certainty * share;
  ruling.why = standing.why;
  if (finding.advice != FindingAdvice::skip) return ruling;
  ruling.why = objection_to_pruning(standing, ruling.matches, overlap);
  if (ruling.why.empty()) ruling.does = RulingKind::prunes;
  return ruling;
}

std::string line_of(const FindingRuling& ruling, const Finding& finding) {
  std::string line = ruling.finding + " (" + std::string(name_of(ruling.status)) + ", " +
                     std::string(name_of(finding.advice)) + "): " + finding.title;
  return ruling.why.empty() ? line : line + "; " + ruling.why;
}

}  // namespace

std::vector<FindingRuling> rule_on(std::span<const Finding> findings, const Situation& situation,
                                   const Change& change) {
  std::vector<FindingRuling> rulings;
  for (const Finding& finding : findings) {
    if (finding.kind == FindingKind::harness || !finding.change) continue;
    const Overlap overlap = overlap_of(*finding.change, change);
    if (overlap == Overlap::none) continue;
    rulings.push_back(rule_on_one(finding, situation, overlap));
  }
  return rulings;
}

Advice advise(std::span<const Finding> findings, const Situation& situation, const Change& change) {
  Advice advice;
  for (const FindingRuling& ruling : rule_on(findings, situation, change)) {
    if (ruling.does == RulingKind::nothing) continue;
    const auto finding = std::ranges::find(findings, ruling.finding, &Finding::id);
    advice.priority_delta += ruling.priority_delta;
    advice.why.push_back(line_of(ruling, *finding));
    if (ruling.does == RulingKind::prunes && !advice.prunes) advice.prunes = ruling.finding;
  }
  return advice;
}

std::vector<Change> known_changes(std::span<const Finding> findings) {
  std::vector<Change> changes;
  const auto add = [&](const Change& change) {
    if (std::ranges::find(changes, change) == changes.end()) changes.push_back(change);
  };
  for (const Finding& finding : findings) {
    if (finding.kind == FindingKind::harness || !finding.change) continue;
    const Change& change = *finding.change;
    if (change.dimension != "opset" && change.dimension != "precision") {
      add(change);
      continue;
    }
    for (const std::string& key : change.keys) add({change.dimension, {key}});
  }
  return changes;
}

}  // namespace hone
