#pragma once
// Why an EP cannot be used here, and what to do about it: the survey of the machine, and what the
// EP needs around it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "record/doctor.h"
#include "record/system.h"

namespace hone {

// Where needs are looked for. The functions are the caller's: loading somebody's library is for a
// worker, and the environment is for the program.
struct Surroundings {
  std::function<Result<Path>(const std::string& name)> find_library;
  std::function<std::optional<std::string>(const std::string& name)> variable;
  std::function<bool(const Path& node)> may_open;
  std::vector<std::string> ep_folders;  // where EPs' own libraries are looked for
  Path root = "/";                      // of files and device nodes
};

// Whether ONNX Runtime was found.
Check check_runtime(const std::vector<OrtLibrary>& libraries);

// Every check of one EP of the survey. Once a model ran on it, what it works without is no longer
// listed. REQUIRES: the survey has an EP of that name.
Diagnosis diagnose(const System& system, const std::string& ep, const Surroundings& around);

}  // namespace hone
