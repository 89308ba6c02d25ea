#include "flow/proof/climb_site.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/folder.h"
#include "base/hash_file.h"
#include "flow/analyze.h"
#include "flow/build.h"
#include "flow/inspect.h"
#include "flow/job.h"
#include "flow/search/environment.h"
#include "flow/where.h"
#include "pipeline/policy.h"

namespace hone {
namespace {

// All members but some.
Json without(const Json& object, std::span<const std::string_view> keys) {
  Json kept = Json::object();
  if (object.as_object() == nullptr) return kept;
  for (const auto& [key, value] : *object.as_object())
    if (std::ranges::find(keys, key) == keys.end()) kept.set(key, value);
  return kept;
}

// All but the nodes one by one, and the file's name.
Json coverage_summary(const Json& analysis) {
  constexpr std::array<std::string_view, 3> not_kept = {"model", "path", "coverage"};
  constexpr std::array<std::string_view, 1> one_by_one = {"nodes"};
  Json summary = without(analysis, not_kept);
  if (const Json* coverage = analysis.find("coverage"))
    summary.set("coverage", without(*coverage, one_by_one));
  return summary;
}

// Evidence is read on other machines: it names no folder of this one.
void forget_folders(const ClimbSite& site, BuildReceipt& receipt) {
  receipt.model = site.file.source.file;
  if (receipt.exported)
    receipt.exported->source = Path(receipt.exported->source).filename().string();
  const std::string folder = site.work.string() + "/";
  for (std::string& note : receipt.notes)
    for (std::size_t at = 0; (at = note.find(folder)) != std::string::npos;)
      note.erase(at, folder.size());
}

Result<ArtifactList> artifacts_in(const Path& folder) {
  HONE_TRY(const std::vector<FolderEntry> entries, walk_folder(folder));
  ArtifactList list;
  for (const FolderEntry& entry : entries) {
    // The receipt has times in it, and is an item of its own.
    if (!entry.is_file() || entry.path.filename() == "receipt.json") continue;
    HONE_TRY(const Digest digest, hash_of_file(entry.path));
    HONE_TRY(const std::uint64_t bytes, size_of_file(entry.path));
    list.files.push_back({entry.name, digest.hex(), bytes});
  }
  std::ranges::sort(list.files, {}, &PackageEntry::path);
  return list;
}

// A stranger's recipe may ask for anything; a session takes as many as --threads does.
Status check_session(const SessionRecipe& session) {
  constexpr std::int64_t most_threads = 1024;
  if (session.threads >= 0 && session.threads <= most_threads) return done();
  return fail(Fault::bad_input,
              "the recipe asks for " + std::to_string(session.threads) + " threads", {},
              "0 to " + std::to_string(most_threads));
}

BuildOrder build_order(const ClimbSite& site) {
  BuildOrder order;
  order.model = site.model.string();
  order.recipe = site.file.recipe;
  order.notes = {"as 'recipe.json' says"};
  order.output = (site.work / "build").string();
  order.overwrite = true;
  order.keeps_cache = false;
  order.must_compile = true;
  order.is_build_only = !order.recipe.compile;  // the next tier runs it
  order.shape_config = site.file.shape_config.value_or("");
  order.where.host = site.host;
  return order;
}

}  // namespace

Result<BuiltHere> build_anew(const ClimbSite& site) {
  site.watch.step("L0: hone build");
  HONE_TRY_DO(check_recipe(site.file.recipe));
  HONE_TRY_DO(check_session(site.file.recipe.session));
  const BuildOrder order = build_order(site);
  BuiltHere built;
  HONE_TRY(built.receipt,
           run_apart(order, site.host.program, {.time = site.limit}, {.stop = site.watch.stop}));
  if (!built.receipt.final_artifact)
    return fail(Fault::runtime, "the build's receipt names no model");
  HONE_TRY_DO(check_stays_inside(*built.receipt.final_artifact));
  built.model = Path(order.output) / *built.receipt.final_artifact;
  forget_folders(site, built.receipt);
  HONE_TRY(built.artifacts, artifacts_in(order.output));
  return built;
}

Path model_with_weights(const ClimbSite& site, const BuiltHere& built) {
  Path last = built.model;
  for (const StageReceipt& stage : built.receipt.stages) {
    if (stage.name == "compile" && stage.status == StageStatus::done) return last;
    if (stage.artifact && check_stays_inside(*stage.artifact))
      last = site.work / "build" / *stage.artifact;
  }
  return built.model;
}

Where where_on(const ClimbSite& site, const Target& target) {
  Recipe recipe;
  recipe.target = target;
  recipe.session = site.file.recipe.session;
  Where where;
  where.host = site.host;
  return where_of(recipe, where);
}

Result<ModelFacts> facts_of(const Path& model, const Host& host) {
  return run_apart(InspectOrder{.model = model.string()}, host.program);
}

Result<Json> coverage_of(const ClimbSite& site) {
  AnalyzeOrder order;
  order.model = site.model.string();
  order.shape_config = site.file.shape_config.value_or("");
  order.where = where_on(site, site.file.recipe.target);
  HONE_TRY(const Analysis analysis,
           run_apart(order, site.host.program, {.time = site.limit}, {.stop = site.watch.stop}));
  return coverage_summary(to_document(analysis, analyze_schema_version));
}

Result<std::map<std::string, std::string>> site_facts(const ClimbSite& site) {
  Where where;
  where.host = site.host;
  HONE_TRY(const SearchEnvironment found, find_environment(where, site.file.recipe.target));
  std::map<std::string, std::string> facts = found.facts;
  facts.erase("kernel");  // it changes every week, and no figure with it
  return facts;
}

}  // namespace hone
