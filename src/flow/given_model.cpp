#include "flow/given_model.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/folder.h"
#include "base/no_such.h"
#include "base/text.h"
#include "checkpoint/export.h"
#include "checkpoint/safetensors.h"
#include "flow/export/cached.h"
#include "flow/where.h"
#include "inspect/quantization.h"
#include "pipeline/build_folder.h"
#include "runtime/target.h"
#include "transform/compile/context.h"

namespace hone {
namespace {

constexpr auto recipe_name = "recipe.json";

std::vector<std::string> models_in(const Path& folder) {
  std::vector<std::string> models;
  const auto files = files_in(folder);
  for (const Path& file : files ? *files : std::vector<Path>())
    if (file.extension() == ".onnx") models.push_back(file.filename().string());
  return models;
}

// An option whose value ONNX Runtime or an EP opens, loads or writes.
bool names_a_file(const std::string& key, const std::string& value) {
  const std::string word = lowercase(key);
  const bool is_of_files = std::ranges::any_of(
      std::to_array<std::string_view>({"file", "path", "library", "dir", "folder"}),
      [&](std::string_view part) { return word.find(part) != std::string::npos; });
  return is_of_files || value.find_first_of("/\\") != std::string::npos;
}

// Takes those out of a folder's recipe, and says so.
void leave_out_files(std::map<std::string, std::string>& options, const std::string& flag,
                     std::vector<std::string>& notes) {
  std::erase_if(options, [&](const auto& option) {
    if (!names_a_file(option.first, option.second)) return false;
    const std::string word = option.first + "=" + option.second;
    notes.push_back(std::string(recipe_name) + " also says " + word +
                    ", which names a file and is not taken from a folder: " + flag + " " + word +
                    " uses it");
    return true;
  });
}

// The options that still are what the recipe says.
void add_kept(const std::map<std::string, std::string>& recipe,
              const std::map<std::string, std::string>& used, std::vector<std::string>& words) {
  for (const auto& [key, value] : recipe) {
    const auto found = used.find(key);
    if (found != used.end() && found->second == value)
      words.push_back(std::string(key).append("=").append(value));
  }
}

// "by recipe.json: cpu, session.set_denormal_as_zero=1"; empty where a file alone would run so.
std::string describe_kept(const Recipe& recipe, const Recipe& used) {
  std::vector<std::string> words;
  if (recipe.session.threads > 0 && used.session.threads == recipe.session.threads)
    words.push_back("threads=" + std::to_string(recipe.session.threads));
  add_kept(recipe.target.options, used.target.options, words);
  add_kept(recipe.session.options, used.session.options, words);
  const std::string target = describe(recipe.target);
  const bool is_target_kept = describe(used.target) == target;
  if (words.empty() && (target == "cpu" || !is_target_kept)) return "";
  if (is_target_kept) words.insert(words.begin(), target);
  return std::string("by ") + recipe_name + ": " + join(words, ", ");
}

// The recipe that the model of a folder was built by; none where the folder has none.
Result<std::optional<Recipe>> recipe_of(const Path& folder, const Path& model) {
  if (const auto build = unsettled_build(folder)) return std::optional(build->recipe);
  const Path file = folder / recipe_name;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return std::optional<Recipe>();
  Result<Recipe> recipe = load_recipe(file);
  if (recipe) return std::optional(*std::move(recipe));
  Error error = std::move(recipe).error();
  error.hint = "'" + model.string() + "' alone is run without it";
  return fail(std::move(error));
}

// "FOLDER#NAME" as the two; a path that is there has no part.
struct NamedPart {
  std::string folder;
  std::string part;  // empty: none is named
};
NamedPart taken_apart(const std::string& given) {
  std::error_code unknown;
  const std::size_t mark = given.rfind('#');
  if (mark == std::string::npos || std::filesystem::exists(given, unknown)) return {given, {}};
  return {given.substr(0, mark), given.substr(mark + 1)};
}

std::string stem_of(const std::string& model) { return Path(model).stem().string(); }

Failure name_a_part(const std::string& what, const std::string& folder,
                    const std::vector<std::string>& models) {
  return fail(Fault::bad_input, what, join(models, ", "),
              "name one of them: '" + folder + "#" + stem_of(models.front()) + "'");
}

// Of a folder that has some.
Result<Path> pick_model(const Path& folder, const std::vector<std::string>& models,
                        const NamedPart& named) {
  if (!named.part.empty()) {
    std::vector<std::string> parts;
    for (const std::string& model : models) parts.push_back(stem_of(model));
    const auto at = std::ranges::find(parts, named.part);
    if (at == parts.end()) return no_such("model in '" + named.folder + "'", named.part, parts);
    return folder / (named.part + ".onnx");
  }
  if (std::ranges::find(models, "model.onnx") != models.end()) return folder / "model.onnx";
  if (models.size() == 1) return folder / models.front();
  return name_a_part("the folder '" + named.folder + "' has several models", named.folder, models);
}

}  // namespace

bool names_checkpoint(const std::string& given) {
  const Path folder(taken_apart(given).folder);
  return is_checkpoint(folder) && !unsettled_build(folder) && models_in(folder).empty();
}

Result<FoundModel> find_given(const std::string& given, const Host& host, const Watch& watch) {
  const NamedPart named = taken_apart(given);
  const Path path(named.folder);
  FoundModel found;
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) {
    found.file = given;
    return found;
  }
  if (const auto build = unsettled_build(path)) {
    found.file = path / *build->final_artifact;
    return found;
  }
  std::vector<std::string> models = models_in(path);
  Path folder = path;
  if (models.empty() && is_checkpoint(path)) {
    HONE_TRY(const CachedExport cached, cached_export(path, host, watch));
    folder = cached.folder;
    models = models_in(folder);
    found.exported = cached.from;
    if (!cached.note.empty()) found.notes.push_back(cached.note);
  } else if (models.empty()) {
    folder = path / "onnx";  // where repositories of models have them
    models = models_in(folder);
    const bool lacks_weights = models.empty() && std::filesystem::exists(path / "config.json");
    if (lacks_weights) HONE_TRY_DO(read_checkpoint_tensors(path));  // says which there are
  }
  if (models.empty()) {
    return fail(Fault::not_found, "there is no model in the folder '" + named.folder + "'",
                "it has no file that ends in .onnx, and is no checkpoint", "name the model file");
  }
  HONE_TRY(found.file, pick_model(folder, models, named));
  return found;
}

Result<Path> find_model_file(const std::string& given, const Host& host) {
  HONE_TRY(const FoundModel found, find_given(given, host));
  return found.file;
}

Result<GivenModel> find_model(const std::string& given, const Where& said) {
  GivenModel model;
  HONE_TRY(FoundModel found, find_given(given, said.host));
  model.file = std::move(found.file);
  model.exported = std::move(found.exported);
  HONE_TRY(std::optional<Recipe> recipe, recipe_of(given, model.file));
  if (!recipe) {
    HONE_TRY(SettledWhere settled, settle_where(said));
    model.where = std::move(settled.where);
    model.notes = std::move(found.notes);
    model.notes.insert(model.notes.end(), settled.notes.begin(), settled.notes.end());
    return model;
  }
  Recipe used = *recipe;
  leave_out_files(used.target.options, "--ep-options", model.notes);
  leave_out_files(used.session.options, "--session-options", model.notes);
  HONE_TRY(const std::vector<std::string> chosen, put_over(used, said));
  HONE_TRY_DO(check_target(used.target, said.host));
  const std::string kept = describe_kept(*recipe, used);
  if (!kept.empty()) model.notes.insert(model.notes.begin(), kept);
  model.notes.insert(model.notes.end(), chosen.begin(), chosen.end());
  model.where = where_of(used, said);
  model.recipe = *std::move(recipe);
  return model;
}

Result<RunPlan> plan_of(const GivenModel& model) {
  RunPlan plan;
  HONE_TRY_DO(fill_plan(model.where, plan));
  plan.model = model.file.string();
  return plan;
}

Result<Recipe> load_recipe(const Path& path) {
  HONE_TRY(const std::string text, read_file(path));
  const auto read = [&]() -> Result<Recipe> {
    HONE_TRY(const Json document, Json::parse(text));
    return from_document<Recipe>(document, recipe_schema_version);
  };
  Result<Recipe> recipe = read();
  if (recipe) return recipe;
  Error error = std::move(recipe).error();
  error.what = "'" + path.string() + "' is no recipe: " + error.what;
  error.fault = Fault::bad_input;
  return fail(std::move(error));
}

Result<Model> load_whole_model(const Path& path) {
  HONE_TRY(Model model, load_model(path));
  Status whole = done();
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    if (!whole || !tensor->absent) return;
    const auto bytes = tensor->bytes();
    if (!bytes) whole = fail(bytes.error());
  });
  HONE_TRY_DO(std::move(whole));
  return model;
}

Result<ModelState> state_of_model(const Path& path) {
  HONE_TRY(const Model model, load_model(path));
  HONE_TRY(const std::vector<ContextNode> contexts, read_contexts(model));
  return ModelState{.is_quantized = !list_quantization(model).empty(),
                    .is_compiled = !contexts.empty()};
}

}  // namespace hone
