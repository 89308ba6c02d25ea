#pragma once
// WebGPU without a GPU: Chromium comes with SwiftShader, a Vulkan device in software, and with a
// Vulkan loader beside it; ONNX Runtime's WebGPU EP accepts them.

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hone {

// The manifest of the Vulkan device: the one the environment names, else Chromium's.
inline std::string swiftshader() {
  const char* named = std::getenv("VK_ICD_FILENAMES");
  return named != nullptr ? named : "/usr/lib/chromium/vk_swiftshader_icd.json";
}

inline std::string folder_of_swiftshader() {
  return std::filesystem::path(swiftshader()).parent_path().string();
}

inline bool has_vulkan() {
  if (std::filesystem::exists(folder_of_swiftshader() + "/libvulkan.so.1")) return true;
  void* library = dlopen("libvulkan.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

// Empty where a test of WebGPU can run.
inline std::string what_webgpu_lacks() {
  if (!std::filesystem::exists(swiftshader()))
    return "no " + swiftshader() + ": on Debian it comes with the package chromium-common";
  if (!has_vulkan()) return "no libvulkan.so.1: on Debian it comes with the package libvulkan1";
  return "";
}

// Of a worker that runs on it; `folder` is one it may use.
inline std::vector<std::pair<std::string, std::string>> webgpu_environment(
    const std::filesystem::path& folder) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string others = before != nullptr ? ":" + std::string(before) : "";
  return {{"VK_ICD_FILENAMES", swiftshader()},
          {"XDG_RUNTIME_DIR", folder.string()},
          {"LD_LIBRARY_PATH", folder_of_swiftshader() + others}};
}

}  // namespace hone
