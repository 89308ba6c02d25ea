#pragma once
// Recipes as files of a catalog: where they stand, and what must be true of them before anything is
// built.

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "record/support.h"

namespace hone {

// "fp32" for what is not quantized, else the precisions in their order: "w8a16", "fp16-int4".
std::string precision_word(const Recipe& recipe);
// "cpu", "qnn_npu".
std::string target_word(const Target& target);
// recipes/<org>_<model>/<target>/<task>_<precision>.json
Path recipe_path(const RecipeFile& file);

// Unknown keys are refused with their place.
Result<RecipeFile> read_recipe_file(std::string_view name, std::string_view text);
std::string write_recipe_file(const RecipeFile& file);

// Whether sizes of open dimensions stand there themselves, "seq=128,x=1x3x48x320", and no file that
// has them: a stranger's recipe names no file of ours.
bool is_shape_text(std::string_view text);

// Everything that is wrong with it, a clause each. `path` is where it stands; empty: nowhere yet.
std::vector<std::string> problems_of(const RecipeFile& file, const Path& path);

// Where a model is not of the task's kind: "image-classification takes pictures, and ...".
// What was declared is held against what the model has: for the model as it came as well as for
// what was built, so that inspecting, configuring and building speak of the same task.
std::vector<std::string> task_problems(std::string_view task, const ModelFacts& facts);

}  // namespace hone
