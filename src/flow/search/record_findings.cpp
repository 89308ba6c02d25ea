#include "flow/search/record_findings.h"

#include <algorithm>
#include <cmath>

#include "flow/search/findings.h"
#include "measure/race.h"
#include "pipeline/policy.h"
#include "record/recipe_hash.h"

namespace hone {
namespace {

// The arm beside the baseline and its clone, as they took turns.
std::vector<RacedSession> sessions_of(const RecordedSpace& space, const RecordedArm& arm) {
  const std::vector<std::vector<double>>& clone = space.arms.front().sessions;
  const double baseline = std::log(space.baseline_ms * 1e6);
  std::vector<RacedSession> sessions;
  for (std::size_t s = 0; s < arm.sessions.size(); ++s) {
    const std::vector<double>& own = arm.sessions[s];
    const std::vector<double>& other = clone[s % clone.size()];
    RacedSession session;
    for (std::size_t round = 0; round < own.size(); ++round) {
      session.rounds.push_back({{.arm = 0, .log_ns = baseline},
                                {.arm = 1, .log_ns = baseline + own[round]},
                                {.arm = 2, .log_ns = baseline + other[round % other.size()]}});
    }
    sessions.push_back(std::move(session));
  }
  return sessions;
}

std::optional<double> middle_ms(std::vector<double> times) {
  if (times.empty()) return std::nullopt;
  std::ranges::sort(times);
  return times[times.size() / 2];
}

SearchArm judged(const RecordedSpace& space, const RecordedArm& arm, const VerdictRules& rules,
                 std::vector<Comparison>& comparisons) {
  SearchArm told;
  told.hypothesis = arm.hypothesis;
  told.recipe_hash = hash_of(arm.hypothesis.recipe);
  told.built = arm.built;
  told.numerics = arm.numerics;
  told.accuracy = arm.accuracy;
  if (arm.error || arm.sessions.size() < 2) {
    told.outcome = arm.built ? ArmOutcome::run_failed : ArmOutcome::build_failed;
    if (arm.error) told.reason = arm.error->what;
    return told;
  }
  const std::vector<std::string> names = {space.arms.front().hypothesis.id, arm.hypothesis.id};
  Comparison comparison = judge_race(names, sessions_of(space, arm), rules);
  comparison.samples.clear();  // they are those of the record
  told.outcome = ArmOutcome::confirmed;
  told.confirmed = comparison.arms.front();
  told.confirmed->median_ms = middle_ms(arm.session_ms);
  comparisons.push_back(std::move(comparison));
  return told;
}

std::string fact(const RecordedSpace& space, const std::string& name) {
  const auto found = space.facts.find(name);
  return found != space.facts.end() ? found->second : std::string();
}

std::optional<std::string> if_known(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace

SearchResult judge_space(const RecordedSpace& space, double margin) {
  VerdictRules rules;
  rules.margin = margin;
  rules.allows_few_sessions = true;
  rules.looks.nominal_p /= static_cast<double>(std::max<std::size_t>(space.arms.size(), 2) - 1);
  SearchResult result;
  result.model = space.model;
  result.model_sha256 = space.model_sha256;
  result.target = space.target;
  result.environment = space.environment;
  result.environment_facts = space.facts;
  result.baseline_ms = space.baseline_ms;
  for (const RecordedArm& arm : space.arms) {
    if (&arm != &space.arms.front()) {
      result.arms.push_back(judged(space, arm, rules, result.earlier));
      continue;
    }
    SearchArm& baseline = result.arms.emplace_back();
    baseline.hypothesis = arm.hypothesis;
    baseline.recipe_hash = hash_of(arm.hypothesis.recipe);
    baseline.built = arm.built;
    baseline.outcome = ArmOutcome::baseline;
  }
  return result;
}

std::vector<Finding> draft_findings(const RecordedSpace& space, double margin,
                                    const std::string& evidence) {
  FindingTrial trial;
  trial.model = space.model;
  trial.model_fingerprint = if_known(fact(space, "model_fingerprint"));
  trial.ep = space.target.ep;
  trial.device = usual_device(space.target);
  trial.ort_version = fact(space, "ort_version");
  trial.ep_version = fact(space, "ep_version");
  trial.hardware = if_known(fact(space, "hardware"));
  trial.evidence = evidence;
  const Recipe& baseline = space.arms.front().hypothesis.recipe;
  return draft_findings(baseline, judge_space(space, margin), trial);
}

}  // namespace hone
