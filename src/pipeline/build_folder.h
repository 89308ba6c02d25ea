#pragma once
// The folder of a build: model.onnx and what lies beside it, recipe.json, receipt.json, stages/.
//
// A model is opened by the recipe beside it, and no step replaces both. The receipt does: it first
// names the new model where its last stage left it, and holds the recipe; then the model and the
// recipe take their places, and the receipt names these. Whenever we are killed, a reader who asks
// the receipt has a model and its own recipe, of the old build or of the new one.

#include <optional>
#include <set>
#include <vector>

#include "base/file.h"
#include "record/build.h"

namespace hone {

inline constexpr auto build_model_name = "model.onnx";
inline constexpr auto build_recipe_name = "recipe.json";
inline constexpr auto build_receipt_name = "receipt.json";
inline constexpr auto stage_effect_name = "effect.json";

// The files of a model: itself and the data files beside it.
Result<std::set<Path>> files_of_model(const Path& model);
// And their hash.
Result<std::string> hash_of_model_files(const Path& model);

// The files of a stage: its model and what belongs to that, in the order of their names.
Result<std::vector<Path>> files_of_stage(const Path& folder);
Result<std::string> hash_of_named_files(const std::vector<Path>& files);

Status write_receipt(const Path& folder, const BuildReceipt& receipt);
Status write_recipe(const Path& folder, const Recipe& recipe);

// The receipt of a build that was killed before its model and its recipe were both in place: it
// says where the model is. Nothing where model.onnx and recipe.json belong together.
std::optional<BuildReceipt> unsettled_build(const Path& folder);

// Puts the model of the last stage and the recipe in place, of which `receipt` says where they are.
// What an older build of this folder had beside its model is removed.
Status settle_build(const Path& folder, BuildReceipt& receipt);

}  // namespace hone
