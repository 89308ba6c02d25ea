#include "tests/fixture_models.h"

#include <algorithm>

#include "model/model.h"
#include "model/weights/hydrate.h"
#include "model/weights/stats.h"

namespace hone {

std::vector<std::string> fixture_models() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(HONE_SOURCE_DIR "/tests/fixtures")) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string fixture_name(const testing::TestParamInfo<std::string>& instance) {
  const Path path(instance.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  std::replace_if(
      name.begin(), name.end(),
      [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; }, '_');
  return name;
}

Result<Path> with_weights(const Path& model, const Path& folder) {
  const Path stats_file = stats_path_for(model);
  if (!std::filesystem::exists(stats_file)) return model;
  HONE_TRY(const WeightStats stats, load_stats(stats_file));
  HONE_TRY(const Model stripped, load_model(model));
  const Path filled = folder / model.filename();
  HydrateOptions options;
  options.seed = 1;
  HONE_TRY_DO(hydrate(stripped, stats, filled, options));
  return filled;
}

}  // namespace hone
