#include "app/recipe_files.h"

#include <algorithm>

#include "pipeline/policy.h"
#include "support/recipe_file.h"

namespace hone::app {

Result<std::vector<Path>> recipe_files_in(const std::vector<std::string>& places) {
  std::vector<Path> found;
  for (const std::string& place : places) {
    std::error_code problem;
    if (!std::filesystem::is_directory(place, problem)) {
      found.emplace_back(place);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place, problem))
      if (entry.path().extension() == ".json") found.push_back(entry.path());
    if (problem) return fail(Fault::io, "cannot list '" + place + "'", problem.message());
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

}  // namespace hone::app
