#include "flow/task_data.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "flow/pictures.h"
#include "flow/processor.h"
#include "inspect/eval/embedding.h"
#include "inspect/run/labels.h"
#include "model/npz/npz.h"
#include "tokenize/tokenizer.h"

namespace hone {
namespace {

constexpr std::array<const char*, 5> tokenizer_files = {"tokenizer.json", "vocab.txt", "vocab.json",
                                                        "spiece.model", "tokenizer.model"};

// Where files lie that belong to models: what was said, the model's folder, and above it where it
// is in a folder called onnx.
std::vector<Path> places_of(const TaskDataRequest& request) {
  std::vector<Path> places;
  if (!request.rows.tokenizer.empty()) {
    const Path said = request.rows.tokenizer;
    places.push_back(std::filesystem::is_directory(said) ? said : said.parent_path());
    return places;
  }
  for (const ModelPlace& model : request.models) {
    // First the checkpoint itself: what was exported of it may have been moved.
    if (model.exported) places.emplace_back(model.exported->source);
    const Path folder = std::filesystem::absolute(model.file).parent_path();
    places.push_back(folder);
    if (folder.filename() == "onnx") places.push_back(folder.parent_path());
  }
  return places;
}

std::optional<Path> find_file(const std::vector<Path>& places, const std::string& name) {
  for (const Path& place : places)
    if (std::filesystem::is_regular_file(place / name)) return place / name;
  return std::nullopt;
}

Result<std::shared_ptr<const tokenize::Tokenizer>> find_tokenizer(const TaskDataRequest& request,
                                                                  const std::vector<Path>& places) {
  if (!request.rows.tokenizer.empty()) {
    HONE_TRY(tokenize::Tokenizer said, tokenize::load_tokenizer(request.rows.tokenizer));
    return std::make_shared<const tokenize::Tokenizer>(std::move(said));
  }
  for (const Path& place : places) {
    const bool has_one = std::ranges::any_of(tokenizer_files, [&](const char* name) {
      return std::filesystem::is_regular_file(place / name);
    });
    if (!has_one) continue;
    HONE_TRY(tokenize::Tokenizer found, tokenize::load_tokenizer(place));
    return std::make_shared<const tokenize::Tokenizer>(std::move(found));
  }
  return std::shared_ptr<const tokenize::Tokenizer>();
}

Result<std::vector<std::string>> find_class_names(const TaskDataRequest& request) {
  for (const ModelPlace& place : request.models) {
    HONE_TRY(const Model model, load_model(place.file));
    if (const auto labels = find_labels(model, place.file)) return labels->names;
    if (!place.exported) continue;
    const auto labels = read_labels(Path(place.exported->source) / "config.json");
    if (labels) return labels->names;
  }
  if (request.rows.tokenizer.empty()) return std::vector<std::string>();
  const Path config = Path(request.rows.tokenizer) / "config.json";
  const auto labels = read_labels(config);
  return labels ? labels->names : std::vector<std::string>();
}

// {"<pad>": 0, "|": 4, ...} by number.
Result<std::vector<std::string>> find_characters(const std::vector<Path>& places) {
  std::vector<std::string> characters;
  const std::optional<Path> file = find_file(places, "vocab.json");
  if (!file) return characters;
  HONE_TRY(const std::string text, read_file(*file));
  HONE_TRY(const Json json, Json::parse(text));
  if (json.as_object() == nullptr) return characters;
  for (const auto& [token, number] : *json.as_object()) {
    HONE_TRY(const std::uint64_t place, number.to_uint());
    constexpr std::uint64_t most = 1 << 20;
    if (place >= most) return fail(Fault::bad_input, "'" + file->string() + "' has no vocabulary");
    if (place >= characters.size()) characters.resize(static_cast<std::size_t>(place) + 1);
    characters[static_cast<std::size_t>(place)] = token;
  }
  return characters;
}

Result<std::string> find_any_pooling(const std::vector<Path>& places) {
  const std::optional<Path> file = find_file(places, "1_Pooling/config.json");
  return find_pooling(file ? file->parent_path().parent_path() : Path());
}

// What lies beside the first of the models that has one; texts go through none.
Result<std::optional<Processor>> find_any_processor(const TaskDataRequest& request,
                                                    const Task* task) {
  const Feed feed = task != nullptr ? task->feed : Feed::pictures;
  std::optional<Processor> found;
  const Medium medium = feed == Feed::sound ? Medium::sound : Medium::picture;
  for (const ModelPlace& model : request.models) {
    HONE_TRY(found,
             processor_of(request.pictures, medium, processor_place(model.file, model.exported)));
    if (found) break;
  }
  return found;
}

}  // namespace

Result<TaskData> open_task_data(const TaskDataRequest& request, const std::vector<Port>& inputs) {
  DataRequest data{.data = request.data};
  if (request.samples > 0) data.limit = static_cast<std::size_t>(request.samples);
  data.columns = request.rows.columns;
  data.split = request.rows.split;
  data.shuffle = request.rows.shuffle;
  data.seed = request.seed;
  data.task = request.task.empty() ? nullptr : known_task(request.task);
  EncoderSettings& encoding = data.encoding;
  encoding.inputs = inputs;
  encoding.max_length = static_cast<std::size_t>(request.rows.max_length);
  encoding.stride = static_cast<std::size_t>(request.rows.stride);
  if (!request.rows.hypothesis.empty()) encoding.hypothesis = request.rows.hypothesis;
  HONE_TRY(encoding.images, image_rules_of(request.pictures));
  HONE_TRY(std::vector<std::string> names, find_class_names(request));
  encoding.classes = ClassNames(names, request.rows.labels);
  const std::vector<Path> places = places_of(request);
  TaskSettings settings;
  settings.class_names = std::move(names);
  if (data.task != nullptr && data.task->feed == Feed::tokens) {
    HONE_TRY(encoding.tokenizer, find_tokenizer(request, places));
    HONE_TRY(settings.pooling, find_any_pooling(places));
    settings.tokenizer = encoding.tokenizer;
  }
  if (data.task != nullptr && data.task->feed == Feed::sound) {
    HONE_TRY(settings.characters, find_characters(places));
  }
  if (request.writes && settings.tokenizer == nullptr) {
    HONE_TRY(settings.tokenizer, find_tokenizer(request, places));
  }
  data.find_processor = [&request, task = data.task] { return find_any_processor(request, task); };
  HONE_TRY(EvalData opened, EvalData::open(std::move(data)));
  return TaskData{std::move(opened), std::move(settings)};
}

Result<std::uint64_t> write_samples(EvalData& data, const Path& output) {
  std::vector<TensorPtr> arrays;
  std::uint64_t count = 0;
  while (true) {
    HONE_TRY(const std::optional<LabelledSample> labelled, data.next());
    if (!labelled) break;
    for (const auto& [name, tensor] : labelled->sample) {
      arrays.push_back(make_tensor(std::to_string(count) + "/" + name, tensor->type, tensor->dims,
                                   tensor->dense));
    }
    ++count;
  }
  if (count == 0) {
    const EvalSamples used = data.used();
    return fail(Fault::bad_input, "there is no sample in the data",
                used.broken_rows.empty()
                    ? ""
                    : used.broken_rows.front().where + ": " + used.broken_rows.front().why);
  }
  HONE_TRY_DO(write_npz(output, arrays));
  return count;
}

}  // namespace hone
