#include "flow/proof/proving.h"

#include "base/hash.h"
#include "base/text.h"
#include "base/utc.h"
#include "catalog/new_folder.h"
#include "flow/proof/bundle_source.h"
#include "flow/proof/climb.h"
#include "knowledge/family.h"
#include "knowledge/family_draft.h"
#include "pipeline/policy.h"
#include "record/recipe_hash.h"
#include "support/bundle.h"
#include "support/ladder.h"
#include "support/recipe_file.h"

namespace hone {
namespace {

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
  HONE_TRY(const ModelFacts before, facts_of(site.model, site.host));
  HONE_TRY(const ModelFacts after, facts_of(built.model, site.host));
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

// What the recipe is about, which has to be the model that was named.
Result<FoundSource> take_promised(const ProveOrder& order, const RecipeFile& file,
                                  const Path& work) {
  HONE_TRY(FoundSource found, take_source(order.model, file.source.seed, work, order.host));
  if (found.source.sha256 == file.source.sha256) return found;
  return fail(Fault::bad_input,
              "the recipe is for another model than '" + order.model.string() + "'",
              "the SHA-256 of its files is " + found.source.sha256);
}

ClimbSite site_of(const ProveOrder& order, const RecipeFile& file, const FoundSource& found,
                  const Path& work) {
  ClimbSite site;
  site.file = file;
  site.model = found.model;
  site.work = work;
  site.host = order.host;
  site.also = order.also;
  site.race_s = order.race_s;
  return site;
}

// Builds and climbs as far as it goes; the bundle has what that showed.
Status climb_into(Bundle& bundle, const ProveOrder& order, const ClimbSite& site) {
  HONE_TRY(auto machine, site_facts(site));
  bundle.ladder = begin_ladder(bundle.recipe, std::move(machine));
  const auto built = build_anew(site);
  if (built) {
    bundle.receipt = built->receipt;
    bundle.artifacts = built->artifacts;
    climb_all(site, *built, order.claim.goal, bundle.ladder);
    if (order.findings.empty()) {
      HONE_TRY(bundle.findings, draft_findings(bundle, site, *built));
    }
  } else {
    bundle.ladder.tiers.push_back(fallen(built.error()));
  }
  bundle.coverage = coverage_or_why_not(site);
  bundle.index = row_of(bundle.recipe, bundle.ladder);
  return done();
}

}  // namespace

Result<Bundle> prove(const ProveOrder& order, const Watch& watch) {
  HONE_TRY(const std::string text, read_file(order.recipe));
  Bundle bundle;
  HONE_TRY(bundle.recipe, read_recipe_file(order.recipe.string(), text));
  HONE_TRY_DO(refuse_problems(bundle.recipe));
  HONE_TRY(NewFolder folder, NewFolder::create(order.bundle));
  HONE_TRY(const TemporaryFolder work, TemporaryFolder::create("prove"));
  HONE_TRY(const FoundSource found, take_promised(order, bundle.recipe, work.path()));
  bundle.claim = order.claim;
  bundle.claim.model = bundle.recipe.model;
  bundle.claim.task = bundle.recipe.task;
  ClimbSite site = site_of(order, bundle.recipe, found, work.path());
  site.watch = watch;
  HONE_TRY_DO(climb_into(bundle, order, site));
  if (!order.findings.empty()) {
    HONE_TRY(bundle.findings, read_findings_file(order.findings));
  }
  bundle.notes = {.surprises = order.surprises, .without_friction = order.surprises.empty()};
  HONE_TRY_DO(keep_source(found, folder.path()));
  HONE_TRY_DO(write_bundle(bundle, folder.path()));
  HONE_TRY_DO(folder.commit());
  return bundle;
}

}  // namespace hone
