#pragma once
// The model a command is given: a file, or a build folder with one in it.

#include <string>

#include "base/file.h"
#include "base/result.h"
#include "model/model.h"

namespace hone::app {

// A file is taken as it is. In a folder it is `model.onnx`, else the only .onnx file.
Result<Path> find_model_file(const std::string& given);

// The model with all its weights: one that is missing is named, with what to do about it, instead
// of whatever ONNX Runtime would say of a copy.
Result<Model> load_whole_model(const Path& path);

}  // namespace hone::app
