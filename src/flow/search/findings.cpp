#include "flow/search/findings.h"

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "base/utc.h"
#include "flow/search/changes.h"
#include "pipeline/policy.h"

namespace hone {
namespace {

FindingCategory category_of(const std::string& dimension, Verdict verdict) {
  if (dimension == "opset") return FindingCategory::opset;
  if (dimension == "precision") return FindingCategory::precision;
  if (dimension == "compile") return FindingCategory::compile;
  return verdict == Verdict::faster ? FindingCategory::fusion_benefit
                                    : FindingCategory::fusion_hazard;
}

bool is_capability(const std::string& key) {
  const bool is_other = std::ranges::any_of(
      optimize_words, [&](std::string_view word) { return key.starts_with(word); });
  return !is_other && key.find('=') == std::string::npos;
}

// Holds for the same EP and device, and for models that have what the arm fuses.
Predicate predicate_of(const Target& target, const Change& change) {
  Predicate when;
  when.all.resize(2);
  when.all[0].ep = target.ep;
  when.all[1].device = usual_device(target);
  if (change.dimension != "optimize") return when;
  for (const std::string& key : change.keys) {
    if (!is_capability(key)) continue;
    Predicate pattern;
    pattern.pattern = key;
    pattern.at_least = 1;
    when.all.push_back(std::move(pattern));
  }
  return when;
}

// Of the claim: what another search finds of the same kind is the same finding.
std::string id_of(const Target& target, const Change& change, Verdict verdict) {
  Sha256 hash;
  hash.add_field(to_json(predicate_of(target, change)).canonical());
  hash.add_field(change.dimension);
  for (const std::string& key : change.keys) hash.add_field(key);
  hash.add_field(name_of(verdict));
  constexpr std::size_t enough = 10;
  return target.ep + "-" + usual_device(target) + "-" + hash.finish().hex().substr(0, enough);
}

// How many sessions the comparison of an arm rests on; nothing where it is not in the result.
std::optional<std::uint64_t> sessions_behind(const SearchResult& result, const SearchArm& arm) {
  std::vector<const Comparison*> all;
  for (const auto* one : {&result.confirmation, &result.hazard})
    if (*one) all.push_back(&**one);
  for (const Comparison& one : result.earlier) all.push_back(&one);
  for (const Comparison* comparison : all) {
    const bool has_arm = std::ranges::find(comparison->arms, arm.hypothesis.id,
                                           &ComparedArm::name) != comparison->arms.end();
    if (has_arm) return comparison->sessions;
  }
  return std::nullopt;
}

Finding draft_of(const SearchResult& result, const SearchArm& arm, const Change& change,
                 const FindingTrial& trial) {
  const ComparedArm& speed = *arm.confirmed;
  Finding finding;
  finding.id = id_of(result.target, change, speed.verdict);
  finding.title = arm.hypothesis.title + " on " + Path(result.model).filename().string();
  finding.category = category_of(change.dimension, speed.verdict);
  finding.when = predicate_of(result.target, change);
  finding.change = change;
  FindingEffect& effect = finding.effect.emplace();
  const bool is_faster = speed.verdict == Verdict::faster;
  effect.direction = is_faster ? EffectDirection::faster : EffectDirection::slower;
  effect.ratio = speed.ratio;
  effect.interval = speed.interval;
  effect.method = EffectMethod::interleaved;
  if (const auto sessions = sessions_behind(result, arm)) effect.sessions = *sessions;
  // Once it is confirmed, what is slower by a twentieth is not worth another try.
  constexpr double clearly_slower = 1.05;
  const bool is_hazard =
      !is_faster && speed.interval.size() == 2 && speed.interval.front() > clearly_slower;
  finding.advice = is_faster   ? FindingAdvice::prefer
                   : is_hazard ? FindingAdvice::skip
                               : FindingAdvice::avoid;
  finding.observation = std::string(name_of(speed.verdict)) +
                        " than the baseline: " + std::to_string(speed.ratio) +
                        " of its time, on fresh sessions that took turns";
  finding.scope.validated_on = {trial};
  if (trial.evidence) {
    finding.evidence = {
        {*trial.evidence, "the search's result, with all samples of the confirmation"}};
  }
  finding.history = {{utc_today(), FindingAction::added, "measured by a search"}};
  return finding;
}

}  // namespace

std::vector<Finding> draft_findings(const Recipe& baseline, const SearchResult& result,
                                    const FindingTrial& trial) {
  std::vector<Finding> drafts;
  for (const SearchArm& arm : result.arms) {
    if (!arm.confirmed) continue;
    const Verdict verdict = arm.confirmed->verdict;
    if (verdict != Verdict::faster && verdict != Verdict::slower) continue;
    const std::vector<Change> changes = changes_of(baseline, arm.hypothesis.recipe);
    // A mix says nothing of its parts, and a change that is not all of it is not what was measured.
    const bool is_all =
        changes.size() == 1 && is_whole(baseline, changes.front(), arm.hypothesis.recipe);
    if (is_all) drafts.push_back(draft_of(result, arm, changes.front(), trial));
  }
  return drafts;
}

}  // namespace hone
