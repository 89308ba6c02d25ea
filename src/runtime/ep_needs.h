#pragma once
// What an EP needs around it on Linux: libraries, device nodes, files, environment. Data alone;
// runtime/ep_doctor.h looks at a machine with it.

#include <string_view>
#include <vector>

namespace hone {

enum class NeedKind {
  library,         // the system's loader finds it under one of the names
  beside_runtime,  // a file in the folder of ONNX Runtime, which is registered as a plugin
  file,            // a file with one of the names; a '*' in the last part stands for anything
  device,          // a device node, named like a file, that this user may open
  variable,        // an environment variable that leads to something that exists
};

struct EpNeed {
  NeedKind kind;
  std::string_view what;                       // "NVIDIA driver"
  std::vector<std::string_view> names;         // one of them is enough
  std::string_view hint;                       // what to do when there is none
  std::string_view only_for = {};              // "the NPU"; empty: the EP does not work without
  std::vector<std::string_view> instead = {};  // variables that name the files to look at instead
};

struct EpNeeds {
  std::string_view ep;      // the short name
  std::string_view origin;  // where the EP comes from when the runtime has none
  std::vector<EpNeed> needs;
};

// Null for an EP that we know nothing about.
const EpNeeds* needs_of(std::string_view short_name);

}  // namespace hone
