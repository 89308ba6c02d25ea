#include "model/weights/stats.h"

#include "base/hash_file.h"

namespace hone {
namespace {

Failure not_stats(const Path& path, std::string cause) {
  return fail(Fault::bad_input, "'" + path.string() + "' holds no weight statistics",
              std::move(cause), "`hone strip` writes such a file beside the model it makes");
}

Result<WeightStats> stats_from(const Json& json) {
  const Json* model = json.find("model");
  const Json* bytes = json.find("bytes");
  const Json* tensors = json.find("tensors");
  if (tensors == nullptr || tensors->as_object() == nullptr) {
    return fail(Fault::bad_input, "it has no object 'tensors'");
  }
  WeightStats stats;
  if (model != nullptr && model->as_string() != nullptr) stats.model = *model->as_string();
  if (bytes != nullptr) {
    HONE_TRY(stats.bytes, bytes->to_uint());
  }
  for (const auto& [name, entry] : *tensors->as_object()) {
    Result<TensorStats> tensor = from_json<TensorStats>(entry);
    if (!tensor) return fail(Fault::bad_input, "tensor '" + name + "': " + tensor.error().what);
    if (tensor->std < 0) return fail(Fault::bad_input, "tensor '" + name + "': 'std' is negative");
    stats.tensors.emplace_back(name, std::move(tensor).value());
  }
  return stats;
}

}  // namespace

Result<WeightStats> load_stats(const Path& path) {
  HONE_TRY(const std::string text, read_file(path));
  Result<Json> json = Json::parse(text);
  if (!json) return not_stats(path, json.error().what);
  Result<WeightStats> stats = stats_from(*json);
  if (!stats) return not_stats(path, stats.error().what);
  return stats;
}

Result<AtomicFile> write_stats(const WeightStats& stats, const Path& path) {
  Json::Object tensors;
  for (const auto& [name, tensor] : stats.tensors) tensors.emplace_back(name, to_json(tensor));
  Json json = Json::object();
  json.set("model", stats.model);
  json.set("bytes", stats.bytes);
  json.set("tensors", Json(std::move(tensors)));
  HONE_TRY(AtomicFile file, AtomicFile::create(path));
  HONE_TRY_DO(file.append(json.dump() + "\n"));
  return file;
}

Status save_stats(const WeightStats& stats, const Path& path) {
  HONE_TRY(AtomicFile file, write_stats(stats, path));
  return file.commit();
}

Path stats_path_for(const Path& model_path) {
  Path path = model_path;
  return path.replace_extension(".stats.json");
}

Path stats_path_before(const Path& model_path, const Digest& model) {
  constexpr std::size_t digits = 16;
  return stats_path_for(model_path).concat(".hone-" + model.hex().substr(0, digits));
}

Result<Path> find_stats(const Path& model_path) {
  HONE_TRY(const Digest model, hash_of_file(model_path));
  const Path before = stats_path_before(model_path, model);
  std::error_code unknown;
  return std::filesystem::exists(before, unknown) ? before : stats_path_for(model_path);
}

}  // namespace hone
