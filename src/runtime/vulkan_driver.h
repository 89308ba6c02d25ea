#pragma once
// The manifest of a Vulkan driver (an ICD file), and whether what it names starts on this machine.

#include <string>

#include "base/file.h"

namespace hone {

struct DriverProblem {
  std::string why;  // empty: nothing is known against it
  std::string hint;
};

// NVIDIA's manifest names the library for X11 (libGLX_nvidia.so.0), which ends the process where
// there is no display; the one for EGL is installed with it and needs none (seen on an H200 with
// driver 580). A manifest that cannot be read is one that Vulkan does not use.
DriverProblem check_vulkan_manifest(const Path& manifest, bool has_display);

}  // namespace hone
