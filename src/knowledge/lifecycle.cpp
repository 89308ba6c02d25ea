#include "knowledge/lifecycle.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "knowledge/confirmation.h"

namespace hone {
namespace {

template <class T>
std::size_t add_new(const std::vector<T>& from, std::vector<T>& to) {
  std::size_t count = 0;
  for (const T& one : from) {
    if (std::ranges::find(to, one) != to.end()) continue;
    to.push_back(one);
    ++count;
  }
  return count;
}

void reopen(Finding& finding) {
  if (finding.status == FindingStatus::confirmed) finding.status = FindingStatus::draft;
}

bool is_interleaved(const std::optional<FindingEffect>& effect) {
  return effect && effect->method == EffectMethod::interleaved && !effect->interval.empty();
}

bool is_same_claim(const Finding& a, const Finding& b) {
  const auto direction = [](const Finding& finding) {
    return finding.effect ? finding.effect->direction : EffectDirection::unknown;
  };
  return a.kind == b.kind && a.change == b.change && to_json(a.when) == to_json(b.when) &&
         direction(a) == direction(b);
}

EffectDirection opposite_of(EffectDirection direction) {
  if (direction == EffectDirection::faster) return EffectDirection::slower;
  if (direction == EffectDirection::slower) return EffectDirection::faster;
  return EffectDirection::unknown;
}

bool speaks_against(const Finding& seen, const Finding& finding) {
  if (!is_interleaved(seen.effect) || !finding.effect || !finding.change) return false;
  const EffectDirection opposite = opposite_of(finding.effect->direction);
  return opposite != EffectDirection::unknown && seen.kind == finding.kind &&
         seen.change == finding.change && seen.effect->metric == finding.effect->metric &&
         seen.effect->direction == opposite;
}

}  // namespace

Finding added(Finding finding, FindingAction action, const std::string& at) {
  const std::string before(name_of(finding.status));
  const bool is_draft = finding.status == FindingStatus::draft;
  finding.status = FindingStatus::draft;
  finding.superseded_by.reset();
  finding.history.push_back(
      {at, action, is_draft ? "as a draft" : "as a draft; it came as " + before});
  return finding;
}

Finding falsified(Finding finding, FindingTrial trial, const std::string& why,
                  const std::string& at) {
  const bool was_confirmed = finding.status == FindingStatus::confirmed;
  const std::string where =
      trial.model + " on " + trial.ep + (trial.device.empty() ? "" : "/" + trial.device);
  reopen(finding);
  finding.scope.falsified_on.push_back(std::move(trial));
  finding.history.push_back(
      {at, FindingAction::falsified,
       where + ": " + why + (was_confirmed ? "; open again, from confirmed to draft" : "")});
  return finding;
}

Finding contradicted(Finding finding, const Finding& seen, const std::string& at) {
  if (!speaks_against(seen, finding)) return finding;
  for (const FindingTrial& trial : seen.scope.validated_on) {
    const bool is_known =
        std::ranges::find(finding.scope.falsified_on, trial) != finding.scope.falsified_on.end();
    const bool is_beside = !trials_like(finding.scope.validated_on, target_of(trial)).empty();
    if (is_known || !is_beside) continue;
    finding = falsified(
        std::move(finding), trial,
        "it was " + std::string(name_of(seen.effect->direction)) + " (" + seen.id + ")", at);
  }
  return finding;
}

Result<Finding> promoted(Finding finding, const std::string& at) {
  if (finding.status == FindingStatus::confirmed) {
    return fail(Fault::bad_input, "'" + finding.id + "' is confirmed already");
  }
  const bool is_open =
      finding.status == FindingStatus::draft || finding.status == FindingStatus::stale;
  if (!is_open) {
    return fail(Fault::bad_input, "cannot promote '" + finding.id + "'",
                "it is " + std::string(name_of(finding.status)),
                "what speaks for it again is a finding of its own");
  }
  const std::vector<std::string> missing = missing_for_confirmation(finding);
  if (!missing.empty()) {
    return fail(Fault::unsupported, "cannot promote '" + finding.id + "'", join(missing, "\n"),
                "`hone kb import` adds what further searches have seen");
  }
  finding.status = FindingStatus::confirmed;
  finding.history.push_back(
      {at, FindingAction::promoted,
       "seen " + counted(finding.scope.validated_on.size(), "time") + ", nowhere falsified"});
  return finding;
}

Result<Finding> joined(Finding finding, const Finding& seen, const std::string& at) {
  if (!is_same_claim(finding, seen)) {
    return fail(Fault::bad_input, "cannot join '" + seen.id + "' with the finding of that id",
                "they differ in kind, when, change or direction", "give the new one another id");
  }
  const std::size_t validated = add_new(seen.scope.validated_on, finding.scope.validated_on);
  const std::size_t falsified = add_new(seen.scope.falsified_on, finding.scope.falsified_on);
  const std::size_t shown = add_new(seen.evidence, finding.evidence);
  const bool is_better = is_interleaved(seen.effect) && !is_interleaved(finding.effect);
  if (validated + falsified + shown == 0 && !is_better) return finding;
  add_new(seen.sources, finding.sources);
  if (is_better) finding.effect = seen.effect;
  if (falsified > 0) reopen(finding);
  finding.history.push_back({at, FindingAction::imported,
                             "validated_on +" + std::to_string(validated) + ", falsified_on +" +
                                 std::to_string(falsified) +
                                 (is_better ? ", now measured interleaved" : "")});
  return finding;
}

}  // namespace hone
