#include "app/model_path.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/text.h"

namespace hone::app {

Result<Path> find_model_file(const std::string& given) {
  const Path path(given);
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) return path;
  if (std::filesystem::exists(path / "model.onnx", unknown)) return path / "model.onnx";
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(path, unknown)) {
    if (entry.path().extension() == ".onnx") models.push_back(entry.path().filename().string());
  }
  std::ranges::sort(models);
  if (models.size() == 1) return path / models.front();
  if (models.empty()) {
    return fail(Fault::not_found, "there is no model in the folder '" + given + "'",
                "it has no file that ends in .onnx", "name the model file");
  }
  return fail(Fault::bad_input, "the folder '" + given + "' has several models", join(models, ", "),
              "name one of them");
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

}  // namespace hone::app
