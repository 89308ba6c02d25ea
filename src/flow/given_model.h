#pragma once
// The model a command is given: a file, or a build folder with one in it and the recipe by which it
// runs.

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "flow/watch.h"
#include "model/model.h"
#include "pipeline/policy.h"
#include "record/export.h"
#include "record/recipe.h"
#include "record/run_plan.h"
#include "record/where.h"

namespace hone {

struct FoundModel {
  Path file;
  Path build;                            // the folder whose recipe says how it runs; empty: none
  std::optional<ExportedFrom> exported;  // of a checkpoint
  std::vector<std::string> notes;        // what was exported just now
};

// A file is taken as it is. In a folder it is `model.onnx`, else the only .onnx file; of several it
// is the one that is named: FOLDER#encoder_model (parts/folder.h). The folder of a checkpoint is
// exported into the host's cache, once for each way of `exporting`, and stands for what is there.
Result<FoundModel> find_given(const std::string& given, const Host& host, const Watch& watch = {},
                              const ExportRecipe& exporting = {});
// Its file alone.
Result<Path> find_model_file(const std::string& given, const Host& host);

struct GivenModel {
  Path file;
  std::optional<ExportedFrom> exported;
  std::optional<Recipe> recipe;    // of a build folder
  Where where;                     // how it runs: what was said, over what the recipe says
  std::vector<std::string> notes;  // what the recipe decided, and what of it was left out
};

// Every command that runs a model opens it by this: the bytes of a build are measured, compared and
// judged with the session they were built for. Options that name files or libraries are not taken
// from a folder, which may be a stranger's: they have to be said.
Result<GivenModel> find_model(const std::string& given, const Where& said);

// The plan of a model: its file, runtime, target and session.
Result<RunPlan> plan_of(const GivenModel& model);

// The recipe in a file.
Result<Recipe> load_recipe(const Path& path);

// The model with all its weights: one that is missing is named, with what to do about it, instead
// of whatever ONNX Runtime would say of a copy.
Result<Model> load_whole_model(const Path& path);

// What has been done to a model already.
Result<ModelState> state_of_model(const Path& path);

}  // namespace hone
