#pragma once
// The arms of a race as users name them: by key=value words, or as build folders.

#include <string>

#include "flow/compare.h"

namespace hone::app {

// "fast:model=b.onnx,threads=2". With recipe=FILE the model is built for the race, and run as the
// recipe says. "\\," is a comma inside of a value.
Result<CompareArm> arm_of_word(const std::string& word);

// A model, or the folder of a build. It goes by the path that was given, because many builds are
// called model.onnx.
CompareArm arm_of_build(const std::string& model);

}  // namespace hone::app
