#include "runtime/vulkan_driver.h"

#include "base/json.h"

namespace hone {
namespace {

// The driver's library that a manifest names; empty where it names none.
std::string library_of(const Json& manifest) {
  const Json* driver = manifest.find("ICD");
  const Json* library = driver != nullptr ? driver->find("library_path") : nullptr;
  const std::string* path = library != nullptr ? library->as_string() : nullptr;
  return path != nullptr ? *path : "";
}

}  // namespace

DriverProblem check_vulkan_manifest(const Path& manifest, bool has_display) {
  const std::string file = manifest.string();
  const auto text = read_file(manifest);
  if (!text) return {file + " cannot be read: " + text.error().cause, {}};
  const auto document = Json::parse(*text);
  const std::string library = document ? library_of(*document) : "";
  if (library.empty()) return {file + " names no driver: it has no ICD.library_path", {}};
  const bool needs_display = library.find("libGLX_nvidia") != std::string::npos;
  if (!needs_display || has_display) return {};
  return {file + " names " + library +
              ", which does not start without a display, and there is none (neither DISPLAY nor "
              "WAYLAND_DISPLAY is set)",
          "use the one for EGL, which needs none: sed s/libGLX_nvidia/libEGL_nvidia/ " + file +
              " > $HOME/nvidia_egl.json; export VK_ICD_FILENAMES=$HOME/nvidia_egl.json"};
}

}  // namespace hone
