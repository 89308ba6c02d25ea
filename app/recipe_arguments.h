#pragma once
// The options that make a recipe, the same in `config` and `build`.

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/where.h"
#include "pipeline/policy.h"

namespace hone::app {

struct RecipeArguments {
  std::string file;  // -c: a recipe; what the other options say is put over it
  std::string precision = "auto";
  std::int64_t opset = 0;  // 0: not given
  std::vector<std::string> enabled;
  std::vector<std::string> disabled;
  std::int64_t optimize_rounds = -1;  // -1: not given
  std::string calibration_data;
  std::int64_t samples = 0;  // 0: not given
  std::string method;
  bool per_channel = false;
  std::string overrides;
  std::optional<double> min_sqnr_db;
  bool allows_loss = false;
  bool skips_quantize = false;
  bool skips_optimize = false;
  bool skips_compile = false;
  WhereArguments where;
};

void declare_recipe(Options& options, RecipeArguments& arguments);

// The recipe in a file.
Result<Recipe> load_recipe(const std::string& path);

// The recipe of the file, or the one the policy chooses for this model; checked.
// A build folder that is built again without a recipe file is for the target and the session of its
// own recipe.
Result<RecipeChoice> read_recipe(const RecipeArguments& arguments, const std::string& model);

// What has been done to a model already.
Result<ModelState> state_of_model(const Path& path);

}  // namespace hone::app
