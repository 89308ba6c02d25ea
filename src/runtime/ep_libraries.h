#pragma once
// Where the libraries of EPs are found when nobody names them; kinds/ep.h has their file names.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "kinds/ep.h"

namespace hone {

using EpLibraries = std::map<std::string, std::string>;  // name -> plugin library

// Where to look, in order: the folders that were said, then beside ONNX Runtime. A link is
// followed.
std::vector<Path> library_folders(const std::vector<std::string>& said, const Path& runtime);

// The EP's own library in the first folder that has it. None where one that was given is it.
std::optional<std::string> find_ep_library(const Ep& ep, const EpLibraries& given,
                                           const std::vector<Path>& folders);

// Those that were given, and those of all EPs that are found.
EpLibraries with_found_libraries(const EpLibraries& given, const std::vector<Path>& folders);

// The version of ONNX Runtime that a library was built with, where it holds it as one text
// ("1.29.0", as Microsoft's do); nothing where it holds none or several.
std::optional<std::string> version_in_library(const Path& library);

}  // namespace hone
