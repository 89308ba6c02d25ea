#include "flow/search/earlier.h"

#include <algorithm>
#include <set>

#include "base/counted.h"
#include "base/text.h"
#include "record/search_front.h"
#include "runtime/target.h"

namespace hone {
namespace {

SearchArm* arm_by_hash(SearchResult& result, const std::string& hash) {
  const auto found = std::ranges::find(result.arms, hash, &SearchArm::recipe_hash);
  return found != result.arms.end() ? &*found : nullptr;
}

const SearchArm* arm_by_id(const SearchResult& result, const std::optional<std::string>& id) {
  const auto found = std::ranges::find_if(
      result.arms, [&](const SearchArm& arm) { return id && arm.hypothesis.id == *id; });
  return found != result.arms.end() ? &*found : nullptr;
}

bool was_compared(const SearchArm& arm) { return arm.confirmed && !arm.confirmed->is_cut; }

bool was_reached(const SearchArm& arm) {
  return arm.outcome != ArmOutcome::pending && arm.outcome != ArmOutcome::out_of_time;
}

// Whether the earlier run knows more of an arm: a comparison outlives a race that it was not in.
bool knows_more(const SearchArm& earlier, const SearchArm& now) {
  if (!was_reached(now)) return was_reached(earlier);
  const bool was_let_go = now.outcome == ArmOutcome::raced_out ||
                          now.outcome == ArmOutcome::futile ||
                          (now.confirmed && now.confirmed->is_cut);
  return was_let_go && was_compared(earlier);
}

// What was judged by another gate has to be judged by this one.
void forget_accuracy(SearchResult& earlier) {
  earlier.champion.reset();
  for (SearchArm& arm : earlier.arms) {
    arm.accuracy.reset();
    if (arm.outcome != ArmOutcome::accuracy_failed) continue;
    arm.outcome = ArmOutcome::pending;
    arm.reason = "its accuracy was judged by another gate";
  }
}

// The number of arms that came from the earlier run.
std::size_t add_arms(const SearchResult& earlier, SearchResult& result) {
  std::size_t added = 0;
  for (const SearchArm& arm : earlier.arms) {
    SearchArm* known = arm_by_hash(result, arm.recipe_hash);
    if (known == nullptr) {
      result.arms.push_back(arm);
      ++added;
    } else if (known != &result.arms.front() && knows_more(arm, *known)) {
      *known = arm;
      ++added;
    }
  }
  std::set<std::string> ids;
  for (const SearchArm& arm : result.arms) ids.insert(arm.hypothesis.id);
  std::erase_if(result.skips, [&](const SkippedHypothesis& skip) { return ids.contains(skip.id); });
  return added;
}

bool has_same_aim(const SearchResult& a, const SearchResult& b) {
  return a.objective == b.objective && a.latency_budget_ms == b.latency_budget_ms;
}

// Whether what the earlier run kept is still the best.
bool is_still_best(const SearchResult& earlier, const SearchResult& result) {
  const SearchArm* before = arm_by_id(result, earlier.champion);
  if (before == nullptr || !was_compared(*before) || !has_same_aim(earlier, result)) return false;
  const SearchArm* now = arm_by_id(result, result.champion);
  if (now == nullptr) return true;
  return result.objective == "latency" && now != before &&
         before->confirmed->ratio < now->confirmed->ratio;
}

void keep_comparison(std::optional<Comparison>&& comparison, SearchResult& result) {
  if (comparison) result.earlier.push_back(*std::move(comparison));
}

// The confirmation that is told is that of the champion.
void keep_champion_of(SearchResult& earlier, SearchResult& result) {
  const bool is_new = result.champion != earlier.champion;
  result.champion = earlier.champion;
  result.verdict = earlier.verdict;
  if (is_new) result.verdict += "; nothing that was tried since is faster";
  keep_comparison(std::move(result.confirmation), result);
  result.confirmation = std::move(earlier.confirmation);
  result.baseline_ms = earlier.baseline_ms;
  result.noise_floor = earlier.noise_floor;
  earlier.confirmation.reset();
}

std::vector<std::string> front_of(const SearchResult& result) {
  std::vector<const SearchArm*> arms;
  for (const SearchArm& arm : result.arms) arms.push_back(&arm);
  std::vector<std::string> front;
  for (const FrontPoint& point : front_points(arms))
    if (point.is_best) front.push_back(point.arm->hypothesis.id);
  return front;
}

// Comparisons whose arms are none of what the result has compared since.
void add_comparisons(SearchResult& earlier, SearchResult& result) {
  const auto samples_of = [](const Comparison& comparison) { return to_json(comparison).dump(-1); };
  std::set<std::string> known;
  for (const auto* told : {&result.confirmation, &result.hazard})
    if (*told) known.insert(samples_of(**told));
  std::vector<Comparison> all = std::move(earlier.earlier);
  for (auto* one : {&earlier.confirmation, &earlier.hazard})
    if (*one) all.push_back(**std::move(one));
  for (Comparison& comparison : all)
    if (known.insert(samples_of(comparison)).second)
      result.earlier.push_back(std::move(comparison));
}

}  // namespace

std::optional<SearchResult> read_earlier(const Path& folder) {
  const auto text = read_file(folder / "search.json");
  if (!text) return std::nullopt;
  const auto document = Json::parse(*text);
  if (!document) return std::nullopt;
  auto result = from_document<SearchResult>(*document, search_schema_version);
  if (!result || result->arms.empty()) return std::nullopt;
  return *std::move(result);
}

std::string what_differs(const SearchPlan& plan, const SearchResult& earlier) {
  if (earlier.model_sha256 != plan.model_sha256) return "its model is another one";
  const Recipe& baseline = plan.hypotheses.front().recipe;
  const std::string was = describe(earlier.target);
  const std::string is = describe(baseline.target);
  if (was != is) return "it is on " + was + ", and this one on " + is;
  if (earlier.environment != plan.environment)
    return "it ran on another machine, or with another ONNX Runtime, EP or version of hone";
  if (earlier.conditions != plan.conditions)
    return "its inputs, shapes, seed or required placement are others";
  const bool is_same =
      !earlier.arms.empty() && earlier.arms.front().recipe_hash == hash_of(baseline);
  return is_same ? "" : "its baseline is another recipe";
}

std::size_t finals_held_before(const SearchPlan& plan, const SearchResult& earlier) {
  std::set<std::string> hashes;
  std::set<std::string> ids;
  for (const Hypothesis& hypothesis : plan.hypotheses) {
    hashes.insert(hash_of(hypothesis.recipe));
    ids.insert(hypothesis.id);
  }
  const auto is_in_plan = [&](const SearchArm& arm) {
    if (hashes.contains(arm.recipe_hash)) return true;
    if (arm.hypothesis.dimension != "mix") return false;
    const std::vector<std::string> parts = split(arm.hypothesis.id, '+');
    return std::ranges::all_of(parts, [&](const std::string& id) { return ids.contains(id); });
  };
  return static_cast<std::size_t>(std::ranges::count_if(
      earlier.arms, [&](const SearchArm& arm) { return was_compared(arm) && !is_in_plan(arm); }));
}

void add_earlier(SearchResult earlier, SearchResult& result) {
  if (earlier.gate != result.gate) forget_accuracy(earlier);
  const std::size_t added = add_arms(earlier, result);
  if (is_still_best(earlier, result)) keep_champion_of(earlier, result);
  add_comparisons(earlier, result);
  result.front = front_of(result);
  if (added > 0) {
    result.notes.push_back(counted(added, "arm") + " of earlier runs in this folder " +
                           (added == 1 ? "is" : "are") + " told as found then");
  }
}

}  // namespace hone
