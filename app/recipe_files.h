#pragma once
// The recipes of a catalog, as files.

#include <string>
#include <vector>

#include "base/file.h"
#include "record/review.h"

namespace hone::app {

// The files that are named, and all of the folders, sorted.
Result<std::vector<Path>> recipe_files_in(const std::vector<std::string>& places);

// All that is wrong with one of them; what cannot be read is one problem.
CheckedRecipe check_recipe_file(const Path& path);

}  // namespace hone::app
