#include "flow/proof/recipe_files.h"

#include <algorithm>

#include "base/folder.h"
#include "base/misuse.h"
#include "base/text.h"
#include "flow/proof/bundle_source.h"
#include "flow/proof/climb_site.h"
#include "pipeline/policy.h"
#include "support/recipe_file.h"

namespace hone {
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

RecipeFile file_of(const NewRecipeOrder& order, ModelSource source) {
  RecipeFile file;
  file.model = order.id;
  file.task = order.task;
  file.source = std::move(source);
  file.recipe = order.recipe;
  file.precision = precision_word(order.recipe);
  if (!order.shape_config.empty()) file.shape_config = order.shape_config;
  file.data = order.data;
  file.max_drop = order.max_drop;
  return file;
}

}  // namespace

Result<std::vector<Path>> recipe_files_in(const std::vector<std::string>& places) {
  std::vector<Path> found;
  for (const std::string& place : places) {
    std::error_code problem;
    if (!std::filesystem::is_directory(place, problem)) {
      found.emplace_back(place);
      continue;
    }
    HONE_TRY(const std::vector<FolderEntry> entries, walk_folder(place));
    for (const FolderEntry& entry : entries)
      if (entry.path.extension() == ".json") found.push_back(entry.path);
  }
  std::ranges::sort(found);
  return found;
}

CheckedRecipe check_recipe_file(const Path& path) {
  CheckedRecipe checked;
  checked.file = path.string();
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  const auto text = read_file(path, most_bytes);
  const auto file =
      text ? read_recipe_file(path.string(), *text) : Result<RecipeFile>(fail(text.error()));
  if (!file) {
    checked.problems.push_back(file.error().what);
    return checked;
  }
  checked.status = file->status;
  checked.problems = problems_of(*file, path);
  if (const Status recipe = check_recipe(file->recipe); !recipe)
    checked.problems.push_back("recipe: " + recipe.error().what);
  return checked;
}

Result<CheckedRecipes> check_recipe_files(const std::vector<std::string>& places) {
  HONE_TRY(const std::vector<Path> files, recipe_files_in(places));
  if (files.empty()) return misuse("there is no recipe to check", "hone help recipe");
  CheckedRecipes checked;
  for (const Path& file : files) checked.recipes.push_back(check_recipe_file(file));
  return checked;
}

Result<RecipeFile> make_recipe_file(const NewRecipeOrder& order, const Watch& watch) {
  HONE_TRY(const TemporaryFolder work, TemporaryFolder::create("recipe"));
  HONE_TRY(FoundSource found, take_source(order.model, order.seed, work.path(), order.host));
  ClimbSite site;
  site.file = file_of(order, std::move(found.source));
  site.model = found.model;
  site.work = work.path();
  site.host = order.host;
  site.watch = watch;
  HONE_TRY(const BuiltHere built, build_pinned(site));
  HONE_TRY(const ModelFacts facts, facts_of(built.model, order.host));
  RecipeFile file = std::move(site.file);
  const auto opset = facts.opsets.find("ai.onnx");
  file.opset = opset == facts.opsets.end() ? 0 : opset->second;
  file.inputs = facts.inputs;
  file.outputs = facts.outputs;
  const std::vector<std::string> problems = problems_of(file, {});
  if (problems.empty()) return file;
  return fail(Fault::bad_input, "no recipe can be made of this", join(problems, "; "));
}

Result<Path> keep_recipe_file(const RecipeFile& file, const Path& catalog, bool overwrite) {
  const Path path = catalog / recipe_path(file);
  std::error_code problem;
  std::filesystem::create_directories(path.parent_path(), problem);
  HONE_TRY_DO(refuse_existing(path, overwrite));
  HONE_TRY_DO(write_file(path, write_recipe_file(file)));
  return path;
}

}  // namespace hone
