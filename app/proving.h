#pragma once
// Making, proving and reviewing support for a model.

#include <functional>
#include <string>
#include <vector>

#include "app/climb.h"
#include "record/review.h"
#include "record/support.h"
#include "support/bundle.h"

namespace hone::app {

using Telling = std::function<void(const std::string& doing)>;

// A recipe for a catalog, by what building once and looking at the result says.
struct NewRecipe {
  Path model;
  std::string id;  // org/model
  std::string task;
  Recipe recipe;  // as `hone config` chooses it; what the build added is pinned
  std::uint64_t seed = 0;
  std::string shape_config;
  Where where;
};
Result<RecipeFile> make_recipe_file(const NewRecipe& wanted, const Telling& tell);

struct ProveJob {
  Path recipe;  // the file
  Path model;   // the source, or its skeleton
  SupportClaim claim;
  std::vector<Target> also;
  std::vector<std::string> surprises;
  std::string findings;  // a file of them, or a draft; empty: the numbers of this climb
  Path bundle;           // the folder to make
  std::int64_t race_s = 60;
  Where where;
};
Result<Bundle> prove(const ProveJob& job, const Telling& tell);

struct ReviewJob {
  Path bundle;
  bool is_full = false;
  bool trusts = false;              // somebody has read the options of the recipe
  std::vector<std::string> models;  // folders with models that are not in bundles
  std::int64_t race_s = 60;
  Where where;
};
Result<Review> review(const ReviewJob& job, const Telling& tell);

}  // namespace hone::app
