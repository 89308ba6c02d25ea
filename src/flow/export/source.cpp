#include "flow/export/source.h"

#include "base/misuse.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr auto wanted = "the folder of a checkpoint: config.json with model.safetensors beside it";

Result<CheckpointSource> checkpoint_in(const Path& folder, std::string weights_file) {
  std::error_code unknown;
  if (std::filesystem::exists(folder / "config.json", unknown))
    return CheckpointSource{folder, std::move(weights_file)};
  return fail(Fault::not_found, "'" + folder.string() + "' is no checkpoint",
              "it has no config.json", wanted);
}

}  // namespace

Result<CheckpointSource> find_checkpoint(const std::string& given) {
  std::error_code unknown;
  const Path path = Path(given).filename().empty() ? Path(given).parent_path() : Path(given);
  if (std::filesystem::is_directory(path, unknown)) return checkpoint_in(path, {});
  if (!std::filesystem::exists(path, unknown))
    return fail(Fault::not_found, "there is no '" + printable(given) + "'", {}, wanted);
  if (path.extension() == ".onnx")
    return misuse("'" + printable(given) + "' is an ONNX model already", wanted);
  if (path.extension() != ".safetensors") {
    const bool is_pickle = path.extension() == ".bin" || path.extension() == ".pt" ||
                           path.extension() == ".pth" || path.extension() == ".ckpt";
    return fail(Fault::bad_input, "'" + printable(given) + "' is no safetensors file",
                is_pickle ? "reading a pickle runs what is written in it" : "", wanted);
  }
  const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
  const std::string name = path.filename().string();
  return checkpoint_in(folder, name == "model.safetensors" ? "" : name);
}

}  // namespace hone
