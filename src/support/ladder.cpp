#include "support/ladder.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kinds/precision.h"
#include "record/recipe_hash.h"
#include "support/lines.h"
#include "support/plain_name.h"
#include "support/recipe_file.h"

namespace hone {
namespace {

TierJudgement pass() { return {TierVerdict::pass, {}}; }
TierJudgement failed(std::string why) { return {TierVerdict::fail, std::move(why)}; }

std::string place_of(std::size_t tier) { return "ladder.json#/tiers/" + std::to_string(tier); }

bool is_share(double value) { return value >= 0 && value <= 1; }

bool in_order(const RunProof& run) {
  const double p50 = *run.p50_ms;
  const double p90 = run.p90_ms.value_or(p50);
  return p50 <= p90 && p90 <= run.p99_ms.value_or(p90);
}

// One that ran has the figures to show for it.
std::string lacking(const RunProof& run) {
  if (!run.p50_ms || !(*run.p50_ms > 0) || run.runs == 0) return "no latency";
  if (!in_order(run)) return "percentiles that are not in their order";
  if (!run.placement || !is_share(*run.placement)) return "no placement";
  if (!run.peak_bytes || *run.peak_bytes == 0) return "no memory";
  return {};
}

bool is_interval(const std::vector<double>& interval, double inside) {
  return interval.size() == 2 && interval.front() > 0 && interval.front() <= inside &&
         inside <= interval.back();
}

// Whether the interval says the verdict, by the rules of a race.
bool follows(const Comparison& race) {
  const double low = std::log(race.interval.front());
  const double high = std::log(race.interval.back());
  const double floor = std::log1p(race.noise_floor.value_or(0));
  const double margin = std::max(std::log1p(race.margin), floor);
  const bool is_beyond = std::abs(std::log(race.ratio)) > floor;
  switch (race.verdict) {
    case Verdict::faster:
      return high < 0 && is_beyond;
    case Verdict::slower:
      return low > 0 && is_beyond;
    case Verdict::equivalent:
      return low > -margin && high < margin;
    case Verdict::inconclusive:
      return true;
  }
  return false;
}

// The figures at the top are those of the one arm that raced.
bool is_first_arm(const Comparison& race) {
  if (race.arms.size() != 1) return false;
  const ComparedArm& arm = race.arms.front();
  return arm.verdict == race.verdict && arm.ratio == race.ratio && arm.interval == race.interval;
}

std::string lacking_in_speed(const RunProof& run) {
  if (!run.speed) return "no race against the model as it came";
  const Comparison& race = *run.speed;
  if (race.sessions < 2 || race.pairs < race.sessions) return "a race of fewer than two sessions";
  if (!is_interval(race.interval, race.ratio)) return "a race without an interval";
  if (!is_first_arm(race)) return "a race whose arm says something else";
  if (race.margin != Comparison{}.margin || !(race.noise_floor.value_or(0) >= 0))
    return "a race by other rules";
  if (!follows(race)) return "a race whose interval does not say its verdict";
  return {};
}

bool is_constant(const OutputComparison& output) { return output.constant.value_or(false); }

std::string parity_problem(const OutputComparison& output, double least) {
  if (output.samples == 0) return "has no samples";
  if (output.not_comparable > 0)
    return std::to_string(output.not_comparable) + " samples cannot be compared";
  if (output.identical == output.samples) return {};
  if (!output.cosine) return "has no cosine";
  const Estimate& cosine = *output.cosine;
  if (!(cosine.low <= cosine.value && cosine.value <= cosine.high)) return "has no interval";
  if (!(cosine.low >= least))
    return "has a cosine of " + std::to_string(cosine.value) + ", at least " +
           std::to_string(cosine.low) + ", and " + std::to_string(least) + " are asked for";
  return {};
}

// The rules for a ladder as a whole, tier by tier.
class LadderCheck {
 public:
  LadderCheck(const Ladder& ladder, const SupportClaim& claim, const RecipeFile& file)
      : ladder_(ladder), claim_(claim), file_(file) {}

  std::vector<ReviewLine> run() {
    check_subject();
    check_order();
    for (std::size_t i = 0; i < ladder_.tiers.size(); ++i) check_tier(i);
    check_goal();
    return lines_.take();
  }

 private:
  void check_subject() {
    const auto fact = [&](const char* name) {
      const auto found = ladder_.machine.find(name);
      return found == ladder_.machine.end() ? std::string() : found->second;
    };
    lines_.require("ladder.machine", !fact("cpu").empty() && !fact("cores").empty(),
                   LineVerdict::changes, "ladder.json#/machine",
                   "it does not say on which machine it was climbed");
    lines_.require(
        "ladder.versions",
        fact("tool_version") == ladder_.tool_version && fact("ort_version") == ladder_.ort_version,
        LineVerdict::reject, "ladder.json#/tool_version", "the machine had other versions");
    lines_.require("ladder.recipe", ladder_.recipe_sha256 == hash_of(file_.recipe),
                   LineVerdict::reject, "ladder.json#/recipe_sha256",
                   "the ladder was climbed with another recipe");
    lines_.require("ladder.source", ladder_.source_sha256 == file_.source.sha256,
                   LineVerdict::reject, "ladder.json#/source_sha256",
                   "the ladder was climbed with another model");
  }

  // Every tier once, from the ground, up to the goal or to where it failed.
  void check_order() {
    bool in_order = true;
    for (std::size_t i = 0; i < ladder_.tiers.size(); ++i)
      in_order = in_order && static_cast<std::size_t>(ladder_.tiers[i].tier) == i;
    lines_.require("ladder.order", in_order && !ladder_.tiers.empty(), LineVerdict::reject,
                   "ladder.json#/tiers", "tiers are not L0, L1, ... one after another");
    const auto fail = std::ranges::find(ladder_.tiers, TierVerdict::fail, &TierProof::verdict);
    const bool stops = fail == ladder_.tiers.end() || fail + 1 == ladder_.tiers.end();
    lines_.require("ladder.no-pass-above-a-fail", stops, LineVerdict::reject,
                   place_of(static_cast<std::size_t>(fail - ladder_.tiers.begin())),
                   "there are tiers above one that failed");
  }

  void check_tier(std::size_t i) {
    const TierProof& tier = ladder_.tiers[i];
    const std::string name = "ladder." + std::string(name_of(tier.tier));
    if (!tier.runs.empty()) check_targets(tier, i);
    if (tier.verdict != TierVerdict::pass) {
      lines_.require(name + ".reason", !tier.reason.empty(), LineVerdict::changes,
                     place_of(i) + "/reason", "a tier that did not pass says why");
      return;
    }
    const TierJudgement judged = judge_tier(tier);
    lines_.require(name + ".evidence", judged.verdict == TierVerdict::pass, LineVerdict::reject,
                   place_of(i), "it is called a pass: " + judged.reason);
    lines_.require(name + ".commands", !tier.commands.empty(), LineVerdict::changes,
                   place_of(i) + "/commands", "no command repeats it");
    check_thresholds(tier, i);
  }

  // The recipe's own target is the first, and no target has two results.
  void check_targets(const TierProof& tier, std::size_t i) {
    const std::string at = place_of(i) + "/runs";
    lines_.require("ladder.L1.target",
                   to_json(tier.runs.front().target) == to_json(file_.recipe.target),
                   LineVerdict::reject, at + "/0/target", "the recipe is for another target");
    std::set<std::string> names;
    for (std::size_t k = 0; k < tier.runs.size(); ++k) {
      const Target& target = tier.runs[k].target;
      const bool is_plain = is_plain_name(target.ep) && is_plain_name(target.device);
      lines_.require("ladder.L1.targets", is_plain && names.insert(target_word(target)).second,
                     LineVerdict::reject, at + "/" + std::to_string(k) + "/target",
                     "it is no plain name, or is there twice");
    }
  }

  // Thresholds come from the recipe, not from who climbs.
  void check_thresholds(const TierProof& tier, std::size_t i) {
    if (tier.parity) {
      lines_.require("ladder.L2.threshold",
                     tier.parity->least_cosine >= least_cosine_of(file_.recipe),
                     LineVerdict::reject, place_of(i) + "/parity/least_cosine",
                     "the threshold is lower than the precision's");
    }
    if (tier.task) {
      lines_.require("ladder.L3.threshold",
                     file_.max_drop && tier.task->max_drop <= *file_.max_drop, LineVerdict::reject,
                     place_of(i) + "/task/max_drop", "more is allowed than the recipe declares");
    }
  }

  // Attempted up to the goal, and the goal is what was reached, or why not.
  void check_goal() {
    const auto goal = static_cast<std::size_t>(claim_.goal);
    const bool ends_early =
        !ladder_.tiers.empty() && ladder_.tiers.back().verdict == TierVerdict::fail;
    lines_.require("ladder.attempted", ladder_.tiers.size() == goal + 1 || ends_early,
                   LineVerdict::reject, "claim.json#/goal",
                   "the ladder does not have the tiers up to the goal");
    const std::optional<Tier> top = reached(ladder_);
    lines_.require("claim.goal", top && *top == claim_.goal, LineVerdict::changes,
                   "claim.json#/goal",
                   "the goal is " + std::string(name_of(claim_.goal)) + ", and " +
                       (top ? std::string(name_of(*top)) : "no tier") + " was reached");
  }

  const Ladder& ladder_;
  const SupportClaim& claim_;
  const RecipeFile& file_;
  Lines lines_;
};

}  // namespace

TierJudgement judge_structure(const StructureProof& proof) {
  if (proof.checks.empty()) return failed("nothing was checked");
  for (const StructureCheck& check : proof.checks)
    if (!check.holds) return failed(check.name + ": " + check.detail);
  return pass();
}

TierJudgement judge_runs(const std::vector<RunProof>& runs) {
  if (runs.empty()) return failed("no target was tried");
  for (const RunProof& run : runs) {
    const bool ran = run.kind == RunClass::ran;
    const std::string lack = ran ? lacking(run) : std::string();
    if (!lack.empty()) return failed(run.target.ep + ": " + lack);
    if (!ran && run.reason.empty())
      return failed(run.target.ep + ": no word of why it did not run");
    if (run.kind == RunClass::recipe) return failed(run.target.ep + ": " + run.reason);
    if (run.speed && &run != &runs.front())
      return failed(run.target.ep + ": a race of another target than the recipe's");
  }
  const RunProof& own = runs.front();
  if (own.kind != RunClass::ran) return {TierVerdict::host_blocked, own.reason};
  const std::string lack = lacking_in_speed(own);
  if (!lack.empty()) return failed(own.target.ep + ": " + lack);
  return pass();
}

TierJudgement judge_parity(const ParityProof& proof) {
  if (proof.outputs.empty()) return failed("no output was compared");
  if (std::ranges::all_of(proof.outputs, is_constant))
    return failed("no output changes from sample to sample: that they agree shows nothing");
  for (const OutputComparison& output : proof.outputs) {
    const std::string problem = parity_problem(output, proof.least_cosine);
    if (!problem.empty()) return failed("'" + output.output + "' " + problem);
  }
  return pass();
}

TierJudgement judge_task(const TaskProof& proof) {
  if (proof.samples == 0) return failed("there are no samples");
  if (!proof.metric.reference || !proof.metric.difference)
    return failed("there is no reference beside it");
  if (!(proof.metric.difference->low >= -proof.max_drop))
    return failed(proof.metric.name + " may drop by " +
                  std::to_string(-proof.metric.difference->low) + ", and " +
                  std::to_string(proof.max_drop) + " are allowed");
  return pass();
}

TierJudgement judge_tier(const TierProof& tier) {
  switch (tier.tier) {
    case Tier::l0:
      return tier.structure ? judge_structure(*tier.structure) : failed("there is no evidence");
    case Tier::l1:
      return judge_runs(tier.runs);
    case Tier::l2:
      return tier.parity ? judge_parity(*tier.parity) : failed("there is no evidence");
    case Tier::l3:
      return tier.task ? judge_task(*tier.task) : failed("there is no evidence");
  }
  return failed("there is no such tier");
}

double least_cosine_of(const Recipe& recipe) {
  double least = precisions::fp32().least_cosine;
  if (recipe.exporting && recipe.exporting->dtype == "float16")
    least = precisions::fp16().least_cosine;
  if (recipe.exporting && recipe.exporting->dtype == "bfloat16") least = Precision().least_cosine;
  if (!recipe.quantize) return least;
  for (const std::string& name : recipe.quantize->precisions) {
    const Precision* precision = find_precision(name);
    least = std::min(least, (precision != nullptr ? *precision : Precision()).least_cosine);
  }
  return least;
}

bool goes_on(TierVerdict verdict) { return verdict != TierVerdict::fail; }

std::optional<Tier> reached(const Ladder& ladder) {
  std::optional<Tier> top;
  for (const TierProof& tier : ladder.tiers) {
    if (!goes_on(tier.verdict)) break;
    if (tier.verdict == TierVerdict::pass) top = tier.tier;
    // What did not run on its target is not said to answer there.
    if (tier.tier == Tier::l1 && tier.verdict != TierVerdict::pass) break;
  }
  return top;
}

std::vector<ReviewLine> check_ladder(const Ladder& ladder, const SupportClaim& claim,
                                     const RecipeFile& file) {
  return LadderCheck(ladder, claim, file).run();
}

}  // namespace hone
