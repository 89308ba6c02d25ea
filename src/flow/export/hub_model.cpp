#include "flow/export/hub_model.h"

namespace hone {
namespace {

bool is_there(const Path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

std::size_t end_of_name(const std::string& model) {
  const std::size_t mark = model.rfind('#');
  return mark == std::string::npos ? model.size() : mark;
}

// A path that is not there is one all the same where its first folder is, or where it names a file
// of a model: nobody is asked for those.
bool may_be_on_hub(const std::string& named, const Path& folder) {
  const std::string name = named.substr(0, named.find('@'));
  const Path path(name);
  const bool is_file = path.extension() == ".onnx" || path.extension() == ".safetensors";
  const bool is_named = name.find('/') != std::string::npos || name != named;
  return is_named && !is_file && !name.starts_with('.') && !is_there(folder / named) &&
         !is_there(folder / *path.begin());
}

}  // namespace

std::optional<HubId> hub_id_in(const std::string& model, const Path& folder) {
  const std::string name = model.substr(0, end_of_name(model));
  if (is_there(folder / model) || !may_be_on_hub(name, folder)) return std::nullopt;
  auto id = parse_hub_id(name);
  if (!id) return std::nullopt;  // a path that is not there: whoever opens it says so
  return *std::move(id);
}

Result<std::string> fetch_hub_model(const std::string& model, const HubId& id,
                                    const HubSettings& settings, const HubWatch& watch) {
  HONE_TRY(const Path folder, fetch_checkpoint(id, settings, watch));
  return folder.string() + model.substr(end_of_name(model));
}

}  // namespace hone
