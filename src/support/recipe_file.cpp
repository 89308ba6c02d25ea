#include "support/recipe_file.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/hash.h"
#include "base/no_such.h"
#include "inspect/eval/task.h"
#include "record/shape_rules.h"

namespace hone {
namespace {

// ONNX's words for what a tensor holds.
constexpr auto element_types = std::to_array<std::string_view>(
    {"float",      "uint8",          "int8",       "uint16",       "int16",
     "int32",      "int64",          "string",     "bool",         "float16",
     "double",     "uint32",         "uint64",     "complex64",    "complex128",
     "bfloat16",   "uint4",          "int4",       "float8e4m3fn", "float8e4m3fnuz",
     "float8e5m2", "float8e5m2fnuz", "float4e2m1", "float8e8m0",   "uint2",
     "int2"});

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

// "org/model", both plain names. The folder joins them with '_', which the org hence has not: two
// models must not get one path.
bool is_model_id(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view org = text.substr(0, slash);
  return is_name(org) && org.find('_') == std::string_view::npos && is_name(text.substr(slash + 1));
}

// The same of "qnn" with "npu" and an EP that is called "qnn_npu".
bool is_target_word(const Target& target) {
  const bool says_device =
      std::ranges::any_of(std::to_array<std::string_view>({"_cpu", "_gpu", "_npu"}),
                          [&](std::string_view device) { return target.ep.ends_with(device); });
  return is_name(target_word(target)) && !says_device;
}

template <class Number>
bool is_within(Number value, Number least, Number most) {
  return value >= least && value <= most;
}

// A size, or the symbol of an open dimension, or null.
bool is_dimension(const Json& dimension) {
  if (dimension.is_null()) return true;
  if (const std::string* symbol = dimension.as_string()) return !symbol->empty();
  constexpr std::int64_t largest = std::int64_t{1} << 40;
  const auto size = dimension.to_int();
  return size && is_within(*size, std::int64_t{1}, largest);
}

// Of tensors by name; what else a model takes says so in words of its own: "seq(tensor(float))".
bool is_type(const std::string& type) {
  return std::ranges::find(element_types, type) != element_types.end() ||
         type.find('(') != std::string::npos;
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
  if (source.checkpoint && !is_name(*source.checkpoint))
    found.push_back("source.checkpoint: is no folder's name");
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
  std::set<std::string> seen;
  for (const ValueFacts& value : values) {
    const std::string at = which + ": '" + printable(value.name) + "' ";
    if (value.name.empty() || value.type.empty())
      found.push_back(which + ": one has no name or no type");
    if (!seen.insert(value.name).second) found.push_back(at + "is declared twice");
    if (!is_type(value.type)) found.push_back(at + "has the type '" + printable(value.type) + "'");
    if (value.shape && !std::ranges::all_of(*value.shape, is_dimension))
      found.push_back(at + "has a shape that none is");
  }
}

void add_task_problems(const RecipeFile& file, std::vector<std::string>& found) {
  if (known_task(file.task) == nullptr) {
    const std::string meant = nearest(file.task, names_of(all_tasks()));
    found.push_back("task: nobody knows '" + printable(file.task) + "'" +
                    (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
  }
  ModelFacts declared;
  declared.inputs = file.inputs;
  for (const std::string& problem : task_problems(file.task, declared))
    found.push_back("task: " + problem);
}

// What one sample says, or what any drop is good for, shows nothing.
void add_data_problems(const RecipeFile& file, std::vector<std::string>& found) {
  constexpr double most_drop = 0.1;
  if (file.max_drop && !is_within(*file.max_drop, 0.0, most_drop))
    found.push_back("max_drop: is no share from 0 to 0.1");
  if (!file.data) return;
  if (!file.max_drop) found.push_back("max_drop: data without a drop that is allowed");
  const Task* task = known_task(file.task);
  const bool takes_any = task != nullptr && !task->needs_labels;
  const auto data = find_dataset(file.data->kind);
  if (!data) {
    found.push_back("data.kind: hone makes no '" + printable(file.data->kind) + "'");
  } else if (data->task != file.task && !takes_any) {
    found.push_back("data.kind: " + file.data->kind + " are for " + std::string(data->task));
  }
  constexpr std::uint64_t least = 50;
  constexpr std::uint64_t most = 100'000;
  if (!is_within(file.data->count, least, most))
    found.push_back("data.count: is not from 50 to 100000");
}

void add_range_problems(const RecipeFile& file, std::vector<std::string>& found) {
  constexpr std::int64_t most_threads = 1024;
  if (!is_within(file.recipe.session.threads, std::int64_t{0}, most_threads))
    found.push_back("recipe.session.threads: is not from 0 to 1024");
  constexpr std::int64_t most_opset = 99;
  if (!is_within(file.opset, std::int64_t{1}, most_opset)) found.push_back("opset: there is none");
  if (file.recipe.opset && *file.recipe.opset != file.opset)
    found.push_back("opset: differs from the recipe's own");
  if (file.shape_config && !is_shape_text(*file.shape_config))
    found.push_back("shape_config: is not NAME=SIZE,...; a file is not part of a recipe");
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

bool is_shape_text(std::string_view text) {
  return parse_shape_text(std::string(text)).has_value();
}

std::vector<std::string> problems_of(const RecipeFile& file, const Path& path) {
  std::vector<std::string> found;
  const bool can_be_named = is_model_id(file.model);
  if (!can_be_named) found.push_back("model: is not org/model in plain letters, no '_' in org");
  add_task_problems(file, found);
  if (!is_target_word(file.recipe.target)) found.push_back("recipe.target: is no plain name");
  const std::string word = precision_word(file.recipe);
  if (file.precision != word) {
    found.push_back("precision: '" + printable(file.precision) + "', and recipe.quantize makes '" +
                    word + "'");
  }
  add_source_problems(file.source, found);
  add_value_problems(file.inputs, "inputs", found);
  add_value_problems(file.outputs, "outputs", found);
  add_range_problems(file, found);
  add_data_problems(file, found);
  if (!path.empty() && can_be_named && !ends_like(path, recipe_path(file))) {
    found.push_back("path: '" + printable(path.generic_string()) + "' should end in '" +
                    recipe_path(file).generic_string() + "'");
  }
  return found;
}

std::vector<std::string> task_problems(std::string_view name, const ModelFacts& facts) {
  const Task* task = known_task(name);
  if (task == nullptr) return {};
  const bool fits = std::ranges::any_of(
      facts.inputs, [&](const ValueFacts& input) { return is_fed_with(input, task->feed); });
  if (fits) return {};
  return {std::string(name) + " takes " + std::string(name_of_feed(task->feed)) +
          ", and no input of the model does"};
}

}  // namespace hone
