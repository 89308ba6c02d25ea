#include "support/recipe_file.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/text.h"

namespace hone {
namespace {

// What a task's model is fed with.
enum class Feed { pictures, tokens, sound, anything };

struct Task {
  std::string_view name;
  Feed feed;
};

constexpr auto tasks = std::to_array<Task>({
    {"image-classification", Feed::pictures},
    {"image-segmentation", Feed::pictures},
    {"object-detection", Feed::pictures},
    {"text-detection", Feed::pictures},
    {"text-recognition", Feed::pictures},
    {"image-feature-extraction", Feed::pictures},
    {"feature-extraction", Feed::tokens},
    {"feature-similarity", Feed::anything},
    {"fill-mask", Feed::tokens},
    {"question-answering", Feed::tokens},
    {"text-classification", Feed::tokens},
    {"token-classification", Feed::tokens},
    {"text-generation", Feed::tokens},
    {"voice-activity", Feed::sound},
    {"audio-classification", Feed::sound},
    {"speech-recognition", Feed::sound},
});

const Task* find_task(std::string_view name) {
  const auto found = std::ranges::find(tasks, name, &Task::name);
  return found == tasks.end() ? nullptr : &*found;
}

bool is_float(const std::string& type) {
  return type == "float" || type == "float16" || type == "bfloat16" || type == "double";
}

bool is_fed_with(const ValueFacts& input, Feed feed) {
  const std::size_t rank = input.shape ? input.shape->size() : 0;
  switch (feed) {
    case Feed::pictures:
      return rank == 4 && (is_float(input.type) || input.type == "uint8");
    case Feed::tokens:
      return input.type == "int64" || input.type == "int32";
    case Feed::sound:
      return is_float(input.type) && rank <= 3;
    case Feed::anything:
      return true;
  }
  return false;
}

std::string_view name_of_feed(Feed feed) {
  switch (feed) {
    case Feed::pictures:
      return "pictures, a tensor of four dimensions";
    case Feed::tokens:
      return "tokens, integers";
    case Feed::sound:
      return "sound, numbers of at most three dimensions";
    case Feed::anything:
      return "anything";
  }
  return {};
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

// A part of a path that no system misunderstands.
bool is_name(std::string_view text) {
  constexpr std::size_t longest = 100;
  return !text.empty() && text.size() <= longest && text.front() != '.' &&
         std::ranges::all_of(text, is_plain);
}

// "org/model", both plain names.
bool is_model_id(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_name(text.substr(0, slash)) &&
         is_name(text.substr(slash + 1));
}

bool is_sha256(std::string_view text) {
  constexpr std::size_t digits = 64;
  return text.size() == digits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool ends_like(const Path& path, const Path& end) {
  const std::string text = path.lexically_normal().generic_string();
  const std::string tail = end.generic_string();
  return text == tail || text.ends_with("/" + tail);
}

void add_source_problems(const ModelSource& source, std::vector<std::string>& found) {
  if (!is_name(source.file)) found.push_back("source.file: is no file's name");
  if (!is_sha256(source.sha256)) found.push_back("source.sha256: is no SHA-256");
  if (source.skeleton && !is_sha256(*source.skeleton))
    found.push_back("source.skeleton: is no SHA-256");
  if (source.statistics && !is_sha256(*source.statistics))
    found.push_back("source.statistics: is no SHA-256");
  if (source.skeleton.has_value() != source.statistics.has_value())
    found.push_back("source: a skeleton goes with the statistics of its weights");
}

void add_value_problems(const std::vector<ValueFacts>& values, const std::string& which,
                        std::vector<std::string>& found) {
  if (values.empty()) found.push_back(which + ": none are declared");
  for (const ValueFacts& value : values) {
    if (value.name.empty() || value.type.empty())
      found.push_back(which + ": one has no name or no type");
  }
}

}  // namespace

std::string precision_word(const Recipe& recipe) {
  if (!recipe.quantize || recipe.quantize->precisions.empty()) return "fp32";
  return join(recipe.quantize->precisions, "-");
}

std::string target_word(const Target& target) {
  const bool says_more = target.device != "auto" && target.device != target.ep;
  return says_more ? target.ep + "_" + target.device : target.ep;
}

Path recipe_path(const RecipeFile& file) {
  std::string folder = file.model;
  std::ranges::replace(folder, '/', '_');
  return Path("recipes") / folder / target_word(file.recipe.target) /
         (file.task + "_" + file.precision + ".json");
}

Result<RecipeFile> read_recipe_file(std::string_view name, std::string_view text) {
  const auto read = [&]() -> Result<RecipeFile> {
    HONE_TRY(const Json document, Json::parse(text));
    return from_document<RecipeFile>(document, support_schema_version);
  };
  Result<RecipeFile> file = read();
  if (file) return file;
  Error error = std::move(file).error();
  error.what = "'" + printable(name) + "' is no recipe of a catalog: " + error.what;
  error.fault = Fault::bad_input;
  return fail(std::move(error));
}

std::string write_recipe_file(const RecipeFile& file) {
  return to_document(file, support_schema_version).dump() + "\n";
}

std::vector<std::string> known_tasks() {
  std::vector<std::string> names;
  for (const Task& task : tasks) names.emplace_back(task.name);
  return names;
}

std::vector<std::string> problems_of(const RecipeFile& file, const Path& path) {
  std::vector<std::string> found;
  if (!is_model_id(file.model)) found.push_back("model: is not org/model in plain letters");
  if (find_task(file.task) == nullptr) {
    const std::string meant = nearest(file.task, known_tasks());
    found.push_back("task: nobody knows '" + printable(file.task) + "'" +
                    (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
  }
  if (!is_name(target_word(file.recipe.target))) found.push_back("recipe.target: is no plain name");
  const std::string word = precision_word(file.recipe);
  if (file.precision != word) {
    found.push_back("precision: '" + printable(file.precision) + "', and recipe.quantize makes '" +
                    word + "'");
  }
  add_source_problems(file.source, found);
  add_value_problems(file.inputs, "inputs", found);
  add_value_problems(file.outputs, "outputs", found);
  if (file.recipe.opset && *file.recipe.opset != file.opset)
    found.push_back("opset: differs from the recipe's own");
  if (file.data && !file.max_drop) found.push_back("max_drop: data without a drop that is allowed");
  if (file.max_drop && !(*file.max_drop >= 0 && *file.max_drop < 1))
    found.push_back("max_drop: is no share");
  const bool can_be_named = is_model_id(file.model);
  if (!path.empty() && can_be_named && !ends_like(path, recipe_path(file))) {
    found.push_back("path: '" + printable(path.generic_string()) + "' should end in '" +
                    recipe_path(file).generic_string() + "'");
  }
  return found;
}

std::vector<std::string> task_problems(std::string_view name, const ModelFacts& facts) {
  const Task* task = find_task(name);
  if (task == nullptr) return {};
  const bool fits = std::ranges::any_of(
      facts.inputs, [&](const ValueFacts& input) { return is_fed_with(input, task->feed); });
  if (fits) return {};
  return {std::string(name) + " takes " + std::string(name_of_feed(task->feed)) +
          ", and no input of the model does"};
}

}  // namespace hone
