#pragma once
// Which recipe a model is built by: the one of a file, or what the policy chooses, with what a user
// says put over it.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/policy.h"
#include "record/where.h"

namespace hone {

// What was said of a recipe.
struct RecipeWishes {
  std::string file;  // a recipe; what the others say is put over it
  std::string precision = "auto";
  std::optional<std::int64_t> opset;
  std::vector<std::string> enabled;
  std::vector<std::string> disabled;
  std::optional<std::int64_t> optimize_rounds;
  std::string calibration_data;
  std::optional<std::int64_t> samples;
  std::string method;
  bool per_channel = false;
  std::string overrides;
  std::optional<double> min_sqnr_db;
  bool allows_loss = false;
  bool skips_quantize = false;
  bool skips_optimize = false;
  bool skips_compile = false;
  bool wants_compile = false;  // refused where the EP makes no compiled models

  bool operator==(const RecipeWishes&) const = default;
};

// Checked. A build folder that is built again without a recipe file is for the target and the
// session of its own recipe.
Result<RecipeChoice> choose_recipe_for(const std::string& model, const RecipeWishes& wishes,
                                       const Where& where);

}  // namespace hone
