#pragma once
// The model a command is given: a file, or a build folder with one in it.

#include <string>

#include "base/file.h"
#include "base/result.h"

namespace hone::app {

// A file is taken as it is. In a folder it is `model.onnx`, else the only .onnx file.
Result<Path> find_model_file(const std::string& given);

}  // namespace hone::app
