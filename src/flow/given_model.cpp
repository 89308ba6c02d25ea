#include "flow/given_model.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/no_such.h"
#include "base/text.h"
#include "flow/export/cached.h"
#include "flow/parts/folder.h"
#include "flow/where.h"
#include "inspect/quantization.h"
#include "pipeline/build_folder.h"
#include "runtime/target.h"
#include "transform/compile/context.h"

namespace hone {
namespace {

constexpr auto recipe_name = "recipe.json";

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

std::string stem_of(const std::string& model) { return Path(model).stem().string(); }

Failure name_a_part(const NamedPart& named, const std::vector<std::string>& parts) {
  return fail(
      Fault::bad_input, "the folder '" + named.folder + "' has several models", join(parts, ", "),
      "name one of them: '" + named.folder + "#" + parts.front() + "', or --part " + parts.front());
}

Failure name_the_folder(const Path& weights) {
  const Path folder = weights.has_parent_path() ? weights.parent_path() : Path(".");
  return fail(Fault::bad_input, "'" + weights.string() + "' is the weights of a checkpoint",
              "its graph is in config.json beside it",
              "name its folder, '" + folder.string() + "', or export it: hone export " +
                  weights.string() + " -o FOLDER");
}

// Of a composite: a file beside the others, or the folder in which the part was built.
Result<FoundModel> pick_part(const ModelFolder& folder, const NamedPart& named) {
  std::vector<std::string> names;
  for (const CompositePart& part : folder.composite->parts) names.push_back(part.part);
  if (named.part.empty()) return name_a_part(named, names);
  FoundModel found;
  for (const CompositePart& part : folder.composite->parts) {
    if (part.part != named.part) continue;
    found.file = folder.path / part.file;
    const Path own = found.file.parent_path();
    if (own.lexically_normal() == folder.path.lexically_normal()) return found;
    if (const auto build = unsettled_build(own)) found.file = own / *build->final_artifact;
    found.build = own;
    return found;
  }
  for (const std::string& variant : folder.composite->variants) {
    names.push_back(stem_of(variant));
    if (names.back() != named.part) continue;
    found.file = folder.path / variant;
    return found;
  }
  return no_such("part of '" + named.folder + "'", named.part, names);
}

// Of a folder that has some.
Result<FoundModel> pick_model(const ModelFolder& folder, const NamedPart& named) {
  if (folder.composite) return pick_part(folder, named);
  const std::vector<std::string>& models = folder.models;
  std::vector<std::string> parts;
  for (const std::string& model : models) parts.push_back(stem_of(model));
  FoundModel found;
  found.build = folder.path;
  if (!named.part.empty()) {
    if (std::ranges::find(parts, named.part) == parts.end())
      return no_such("model in '" + named.folder + "'", named.part, parts);
    found.file = folder.path / (named.part + ".onnx");
    found.build.clear();
    return found;
  }
  const bool has_usual = std::ranges::find(models, build_model_name) != models.end();
  if (!has_usual && models.size() > 1) return name_a_part(named, parts);
  found.file = folder.path / (has_usual ? build_model_name : models.front());
  return found;
}

}  // namespace

Result<FoundModel> find_given(const std::string& given, const Host& host, const Watch& watch,
                              const ExportRecipe& exporting) {
  const NamedPart named = taken_apart(given);
  const Path path(named.folder);
  FoundModel found;
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) {
    if (path.extension() == ".safetensors") return name_the_folder(path);
    found.file = given;
    found.exported = exported_in(found.file.parent_path());
    return found;
  }
  if (const auto build = unsettled_build(path)) {
    found.file = path / *build->final_artifact;
    found.build = path;
    return found;
  }
  HONE_TRY(const ModelFolder folder, open_model_folder(path, host, watch, exporting));
  if (folder.models.empty() && !folder.composite) {
    return fail(Fault::not_found, "there is no model in the folder '" + named.folder + "'",
                "it has no file that ends in .onnx, and is no checkpoint", "name the model file");
  }
  HONE_TRY(found, pick_model(folder, named));
  found.exported = folder.exported;
  found.notes = folder.notes;
  if (found.exported) found.build.clear();  // what lies beside a checkpoint is no recipe of a build
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
  std::optional<Recipe> recipe;
  if (!found.build.empty()) {
    HONE_TRY(recipe, recipe_of(found.build, model.file));
  }
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
