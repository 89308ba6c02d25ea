#pragma once
// A build, for people.

#include <string>

#include "record/build.h"

namespace hone {

std::string describe_build(const BuildReceipt& receipt);
// "target qnn/npu, opset 21, w8a16 by the qnn preset, compiled". `precision` is that of the model
// before it is built; where the recipe leaves it, that is what is said.
std::string describe_recipe(const Recipe& recipe, const std::string& precision);

}  // namespace hone
