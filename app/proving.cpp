#include "app/proving.h"

#include "app/bundle_source.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/utc.h"
#include "catalog/new_folder.h"
#include "knowledge/family.h"
#include "knowledge/family_draft.h"
#include "pipeline/policy.h"
#include "record/recipe_hash.h"
#include "support/again.h"
#include "support/ladder.h"
#include "support/lines.h"
#include "support/plain_name.h"
#include "support/recipe_file.h"
#include "support/review.h"

namespace hone::app {
namespace {

// What analyzing suggested while it was built, written down: a recipe says what it does.
Recipe with_suggestions(Recipe recipe, const BuildReceipt& receipt) {
  recipe.optimize_rounds = 0;
  for (const StageReceipt& stage : receipt.stages) {
    const Json* rounds = stage.effect.find("rounds");
    if (stage.name != "optimize" || rounds == nullptr || rounds->as_array() == nullptr) continue;
    for (const Json& one : *rounds->as_array()) {
      const auto round = from_json<OptimizeRound>(one);
      if (!round) continue;
      for (const std::string& name : round->added) recipe.optimize[name] = true;
    }
  }
  return recipe;
}

// Builds by the recipe that says it all. What was suggested and does not hold its check is not in
// it: a build drops that by itself, a recipe that asks for it fails.
Result<BuiltHere> build_pinned(ClimbSite& site) {
  Recipe plain = site.file.recipe;
  HONE_TRY(const BuiltHere first, build_anew(site));
  site.file.recipe = with_suggestions(plain, first.receipt);
  auto pinned = build_anew(site);
  if (pinned) return pinned;
  plain.optimize_rounds = 0;
  site.file.recipe = std::move(plain);
  return build_anew(site);
}

Ladder begin_ladder(const RecipeFile& file, std::map<std::string, std::string> machine) {
  Ladder ladder;
  ladder.recipe_sha256 = hash_of(file.recipe);
  ladder.source_sha256 = file.source.sha256;
  ladder.tool_version = machine["tool_version"];
  ladder.ort_version = machine["ort_version"];
  ladder.machine = std::move(machine);
  return ladder;
}

std::vector<Tier> tiers_up_to(Tier goal) {
  std::vector<Tier> tiers;
  for (const Tier tier : {Tier::l0, Tier::l1, Tier::l2, Tier::l3})
    if (tier <= goal) tiers.push_back(tier);
  return tiers;
}

// Every tier in one go; a fail ends it, what is blocked does not.
void climb_all(const ClimbSite& site, const BuiltHere& built, Tier goal, Ladder& ladder) {
  for (const Tier tier : tiers_up_to(goal)) {
    ladder.tiers.push_back(climb(tier, site, built));
    if (!goes_on(ladder.tiers.back().verdict)) break;
  }
}

IndexRow row_of(const RecipeFile& file, const Ladder& ladder) {
  return {.model = file.model,
          .task = file.task,
          .target = target_word(file.recipe.target),
          .precision = file.precision,
          .recipe = recipe_path(file).generic_string(),
          .reached = reached(ladder)};
}

// A file of findings, or one that was mined and read.
Result<BundleFindings> read_findings_file(const Path& path) {
  HONE_TRY(const std::string text, read_file(path));
  HONE_TRY(const Json document, Json::parse(text));
  if (document.find("finding") == nullptr)
    return from_document<BundleFindings>(document, support_schema_version);
  HONE_TRY(ModelFindingDraft draft, parse_draft(path.string(), text));
  return BundleFindings{.findings = {std::move(draft.finding)}};
}

// Numbers of this climb, and nothing beyond them.
Result<BundleFindings> draft_findings(const Bundle& bundle, const ClimbSite& site,
                                      const BuiltHere& built) {
  BuildRemains remains;
  remains.receipt = built.receipt;
  remains.precision = bundle.recipe.precision;
  HONE_TRY(const ModelFacts before, facts_of(site.model));
  HONE_TRY(const ModelFacts after, facts_of(built.model));
  remains.ops_before = before.op_counts;
  remains.ops_after = after.op_counts;
  HONE_TRY(const RecipeChoice usual, choose_recipe(bundle.recipe.recipe.target, "auto", {}));
  remains.usual = usual.recipe;
  const std::string receipt = to_document(built.receipt, build_schema_version).dump() + "\n";
  remains.evidence = {{"receipt.json", sha256(receipt).hex()}};
  ModelFinding finding = draft_of(remains, utc_today());
  finding.effort = name_of(bundle.claim.effort);
  if (const auto top = reached(bundle.ladder)) finding.goal_reached = name_of(*top);
  return BundleFindings{.findings = {std::move(finding)}};
}

// Nothing can be proven of what is no recipe.
Status refuse_problems(const RecipeFile& file) {
  std::vector<std::string> problems = problems_of(file, {});
  if (const Status recipe = check_recipe(file.recipe); !recipe)
    problems.push_back("recipe: " + recipe.error().what);
  if (problems.empty()) return done();
  return fail(Fault::bad_input, "the recipe cannot be proven", join(problems, "; "),
              "hone recipe check says what is wrong with it");
}

// A bundle shows how far it went; that nobody could say what the target takes is part of that.
Json coverage_or_why_not(const ClimbSite& site) {
  auto coverage = coverage_of(site);
  if (coverage) return *std::move(coverage);
  return Json::object().set("unknown", coverage.error().what);
}

// A reviewer who climbs again.
class Reviewer {
 public:
  Reviewer(const ReviewJob& job, const Telling& tell) : job_(job), tell_(tell) {}

  Result<Review> run() {
    HONE_TRY(ReadBundle read, read_bundle(job_.bundle));
    lines_.add(std::move(read.lines));
    if (read.bundle) {
      lines_.add(check_bundle(*read.bundle));
      const std::vector<std::string> risks = risks_of(*read.bundle);
      if (risks.empty() || job_.trusts) {
        if (const Status climbed = climb_again(*read.bundle); !climbed)
          cannot("again", "ladder.json", climbed.error());
      } else {
        lines_.require("again.options", false, LineVerdict::changes, "recipe.json#/recipe",
                       join(risks, ", ") + ": it may load libraries and write files; read it, " +
                           "then --trust-recipe");
      }
    }
    Review review;
    review.bundle = job_.bundle.string();
    review.bundle_sha256 = read.manifest_sha256;
    review.is_full = job_.is_full;
    review.lines = lines_.take();
    review.verdict = verdict_of(review.lines);
    return review;
  }

 private:
  void cannot(const std::string& check, const std::string& citation, const Error& error) {
    lines_.require(check, false, LineVerdict::changes, citation,
                   "cannot be checked: " + what_and_why(error));
  }

  Status climb_again(const Bundle& bundle) {
    HONE_TRY(const TemporaryFolder work, TemporaryFolder::create("review"));
    ClimbSite site;
    site.file = bundle.recipe;
    site.work = work.path();
    site.where = job_.where;
    site.races = job_.is_full;
    site.race_s = job_.race_s;
    site.tell = tell_;
    auto model = find_source(bundle.recipe.source, job_.bundle, job_.models, work.path());
    if (!model) {
      cannot("again.source", "recipe.json#/source", model.error());
      return done();
    }
    site.model = *std::move(model);
    site.also = other_targets(bundle);
    HONE_TRY(const ReviewSite here, compare_sites(bundle.ladder, site));
    check_coverage(bundle, site, here);
    const auto built = build_anew(site);
    if (!built) {
      check_fallen(bundle.ladder, built.error(), here);
      return done();
    }
    lines_.add(compare_artifacts(bundle.artifacts, built->artifacts, here));
    lines_.add(compare_receipts(bundle.receipt, built->receipt, here));
    for (const TierProof& tier : bundle.ladder.tiers) check_tier(tier, site, *built, here);
    return done();
  }

  void check_coverage(const Bundle& bundle, const ClimbSite& site, const ReviewSite& here) {
    const auto again = coverage_of(site);
    if (!again) return cannot("again.coverage", "coverage.json", again.error());
    lines_.add(compare_coverage(bundle.coverage, *again, here));
  }

  // A build that is said to have failed may do so again.
  void check_fallen(const Ladder& ladder, const Error& error, const ReviewSite& here) {
    const bool is_said = ladder.tiers.size() == 1 &&
                         ladder.tiers.front().verdict == TierVerdict::fail &&
                         !ladder.tiers.front().structure;
    if (is_said) {
      lines_.add(compare_tier(ladder.tiers.front(), fallen(error), here));
    } else {
      cannot("again.build", "receipt.json", error);
    }
  }

  // All that a bundle speaks of, whether they ran there or not; names that are none of a target are
  // held against it already, and a bundle of a hundred targets is not worth a day.
  static std::vector<Target> other_targets(const Bundle& bundle) {
    constexpr std::size_t most = 16;
    std::vector<Target> targets;
    for (const TierProof& tier : bundle.ladder.tiers) {
      for (const RunProof& run : tier.runs) {
        const bool is_own = to_json(run.target) == to_json(bundle.recipe.recipe.target);
        const bool is_plain = is_plain_name(run.target.ep) && is_plain_name(run.target.device);
        if (!is_own && is_plain && targets.size() < most) targets.push_back(run.target);
      }
    }
    return targets;
  }

  static Result<ReviewSite> compare_sites(const Ladder& ladder, const ClimbSite& site) {
    HONE_TRY(const auto facts, site_facts(site));
    const auto same = [&](const std::string& name) {
      const auto here = facts.find(name);
      const auto there = ladder.machine.find(name);
      return here != facts.end() && there != ladder.machine.end() && here->second == there->second;
    };
    return ReviewSite{.same_versions = same("tool_version") && same("ort_version"),
                      .same_machine = same("cpu") && same("cores")};
  }

  void check_tier(const TierProof& claimed, const ClimbSite& site, const BuiltHere& built,
                  const ReviewSite& here) {
    TierProof again = climb(claimed.tier, site, built);
    // Without a race a tier that ran is as good as one that raced.
    const bool ran = !again.runs.empty() && again.runs.front().kind == RunClass::ran;
    if (!site.races && ran) again.verdict = TierVerdict::pass;
    lines_.add(compare_tier(claimed, again, here));
  }

  const ReviewJob& job_;
  const Telling& tell_;
  Lines lines_;
};

}  // namespace

Result<RecipeFile> make_recipe_file(const NewRecipe& wanted, const Telling& tell) {
  HONE_TRY(const TemporaryFolder work, TemporaryFolder::create("recipe"));
  HONE_TRY(FoundSource found, take_source(wanted.model, wanted.seed, work.path()));
  RecipeFile file;
  file.model = wanted.id;
  file.task = wanted.task;
  file.source = std::move(found.source);
  file.recipe = wanted.recipe;
  file.precision = precision_word(wanted.recipe);
  if (!wanted.shape_config.empty()) file.shape_config = wanted.shape_config;
  ClimbSite site;
  site.file = file;
  site.model = found.model;
  site.work = work.path();
  site.where = wanted.where;
  site.tell = tell;
  HONE_TRY(const BuiltHere built, build_pinned(site));
  file.recipe = site.file.recipe;
  HONE_TRY(const ModelFacts facts, facts_of(built.model));
  const auto opset = facts.opsets.find("ai.onnx");
  file.opset = opset == facts.opsets.end() ? 0 : opset->second;
  file.inputs = facts.inputs;
  file.outputs = facts.outputs;
  return file;
}

Result<Bundle> prove(const ProveJob& job, const Telling& tell) {
  HONE_TRY(const std::string text, read_file(job.recipe));
  Bundle bundle;
  HONE_TRY(bundle.recipe, read_recipe_file(job.recipe.string(), text));
  HONE_TRY_DO(refuse_problems(bundle.recipe));
  HONE_TRY(NewFolder folder, NewFolder::create(job.bundle));
  HONE_TRY(const TemporaryFolder work, TemporaryFolder::create("prove"));
  HONE_TRY(const FoundSource found, take_source(job.model, bundle.recipe.source.seed, work.path()));
  if (found.source.sha256 != bundle.recipe.source.sha256)
    return fail(Fault::bad_input,
                "the recipe is for another model than '" + job.model.string() + "'",
                "the SHA-256 of its files is " + found.source.sha256);
  ClimbSite site;
  site.file = bundle.recipe;
  site.model = found.model;
  site.work = work.path();
  site.where = job.where;
  site.also = job.also;
  site.race_s = job.race_s;
  site.tell = tell;
  HONE_TRY(auto machine, site_facts(site));
  bundle.ladder = begin_ladder(bundle.recipe, std::move(machine));
  bundle.claim = job.claim;
  bundle.claim.model = bundle.recipe.model;
  bundle.claim.task = bundle.recipe.task;
  const auto built = build_anew(site);
  if (built) {
    bundle.receipt = built->receipt;
    bundle.artifacts = built->artifacts;
    climb_all(site, *built, job.claim.goal, bundle.ladder);
    if (job.findings.empty()) {
      HONE_TRY(bundle.findings, draft_findings(bundle, site, *built));
    }
  } else {
    bundle.ladder.tiers.push_back(fallen(built.error()));
  }
  bundle.coverage = coverage_or_why_not(site);
  if (!job.findings.empty()) {
    HONE_TRY(bundle.findings, read_findings_file(job.findings));
  }
  bundle.index = row_of(bundle.recipe, bundle.ladder);
  bundle.notes = {.surprises = job.surprises, .without_friction = job.surprises.empty()};
  HONE_TRY_DO(keep_source(found, folder.path()));
  HONE_TRY_DO(write_bundle(bundle, folder.path()));
  HONE_TRY_DO(folder.commit());
  return bundle;
}

Result<Review> review(const ReviewJob& job, const Telling& tell) {
  return Reviewer(job, tell).run();
}

}  // namespace hone::app
