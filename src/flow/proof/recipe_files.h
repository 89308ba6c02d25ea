#pragma once
// The recipes of a catalog, as files: found, checked, made by building once, and kept.

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "flow/watch.h"
#include "record/review.h"
#include "record/support.h"
#include "record/where.h"

namespace hone {

// The files that are named, and all of the folders, sorted.
Result<std::vector<Path>> recipe_files_in(const std::vector<std::string>& places);

// All that is wrong with one of them; what cannot be read is one problem.
CheckedRecipe check_recipe_file(const Path& path);
// Of every one of these places. Refused where there is nothing to check.
Result<CheckedRecipes> check_recipe_files(const std::vector<std::string>& places);

// A recipe for a catalog, by what building once and looking at the result says.
struct NewRecipeOrder {
  Path model;
  std::string id;  // org/model
  std::string task;
  Recipe recipe;           // as `hone config` chooses it; what the build added is pinned
  std::uint64_t seed = 0;  // of a skeleton's weights
  std::string shape_config;
  std::optional<DataRecipe> data;
  std::optional<double> max_drop;
  Host host;
};
// One that has problems is refused.
Result<RecipeFile> make_recipe_file(const NewRecipeOrder& order, const Watch& watch);

// Written where its contents say, below the folder of a catalog.
Result<Path> keep_recipe_file(const RecipeFile& file, const Path& catalog, bool overwrite);

}  // namespace hone
