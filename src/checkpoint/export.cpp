#include "checkpoint/export.h"

#include <algorithm>
#include <map>

#include "base/misuse.h"
#include "base/no_such.h"
#include "checkpoint/family.h"
#include "checkpoint/safetensors.h"

namespace hone {
namespace {

// The largest of published ones has some 200 KB, of labels.
constexpr std::uint64_t most_config_bytes = std::uint64_t{16} << 20;

Result<Json> read_config(const Path& folder) {
  HONE_TRY(const std::string text, read_file(folder / "config.json", most_config_bytes));
  auto document = Json::parse(text);
  if (!document || !document->as_object()) {
    return fail(Fault::bad_input, "'" + (folder / "config.json").string() + "' is no configuration",
                document ? "it is " + document->described_kind() : document.error().what);
  }
  return std::move(*document);
}

Result<const Family*> family_of(const std::string& model_type) {
  if (const Family* family = find_family(model_type)) return family;
  std::vector<std::string> known;
  for (const Family& family : all_families()) {
    known.insert(known.end(), family.model_types.begin(), family.model_types.end());
  }
  return no_such("family for the model_type", model_type, known);
}

std::string architecture_in(const Config& config) {
  const std::vector<std::string> all = config.words("architectures", {});
  return all.empty() ? "" : all.front();
}

Result<std::string> task_for(const Family& family, const std::string& architecture,
                             const std::string& asked) {
  const std::vector<std::string> known(family.tasks.begin(), family.tasks.end());
  if (!asked.empty()) {
    if (std::find(known.begin(), known.end(), asked) == known.end()) {
      return no_such("task of " + std::string(family.name) + " checkpoints", asked, known);
    }
    return asked;
  }
  if (architecture.empty()) return known.front();
  const std::string task(task_of_architecture(architecture));
  if (std::find(known.begin(), known.end(), task) != known.end()) return task;
  return misuse("the checkpoint is a " + printable(architecture) + ", which hone cannot write",
                "--task with one of: " + join(known, ", "));
}

Result<std::vector<TensorPtr>> tensors_in(const Path& folder, const std::string& weights_file) {
  return weights_file.empty() ? read_checkpoint_tensors(folder)
                              : read_safetensors(folder / weights_file);
}

}  // namespace

bool is_checkpoint(const Path& folder) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(folder / "config.json", ignored) &&
         weights_in(folder).has_value();
}

Result<ElementType> type_of_weights(const Path& folder, const std::string& weights_file) {
  HONE_TRY(const std::vector<TensorPtr> tensors, tensors_in(folder, weights_file));
  std::map<ElementType, std::uint64_t> bytes;
  for (const TensorPtr& tensor : tensors) bytes[tensor->type] += tensor->byte_size();
  ElementType most = ElementType::float32;
  for (const ElementType type : {ElementType::float16, ElementType::bfloat16})
    if (bytes[type] > bytes[most]) most = type;
  return most;
}

Result<ExportedCheckpoint> export_checkpoint(const Path& folder, const ExportChoice& choice) {
  HONE_TRY(Json configuration, read_config(folder));
  HONE_TRY(std::vector<TensorPtr> tensors, tensors_in(folder, choice.weights_file));
  return export_tensors(folder.string(), std::move(configuration), std::move(tensors), choice);
}

Result<ExportedCheckpoint> export_tensors(const std::string& name, Json configuration,
                                          std::vector<TensorPtr> tensors,
                                          const ExportChoice& choice) {
  Problems problems;
  const Config config(std::move(configuration), problems);
  ExportedCheckpoint made;
  made.model_type = config.word("model_type");
  HONE_TRY(const Family* family, family_of(made.model_type));
  made.family = family->name;
  made.architecture = architecture_in(config);
  HONE_TRY(made.task, task_for(*family, made.architecture, choice.task));
  config.only("quantization_config", Json(), "quantized checkpoints are not read");
  config.only("per_layer_config", Json(), "layers of different sizes are not written");

  Weights weights(std::move(tensors));
  const std::vector<std::string> parts =
      family->parts ? family->parts(config, made.task) : std::vector<std::string>{"model"};
  for (const std::string& part : parts) {
    Net net(choice.net, weights, problems);
    family->write(net, config, {.task = made.task, .part = part});
    made.graphs.push_back({.part = part, .model = net.finish(made.family)});
  }
  if (problems.any()) {
    return problems.failure(
        "'" + name + "' cannot be exported for " + made.task,
        choice.task.empty() ? "--task, where the checkpoint is for another" : "");
  }
  made.switches = config.read();
  made.not_read = config.not_read();
  made.unused = weights.not_taken();
  return made;
}

}  // namespace hone
