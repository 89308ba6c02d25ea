#pragma once
// What --mean and --std say of pictures.

#include <string>

#include "inspect/eval/image_file.h"

namespace hone::app {

// Numbers with commas between, one for all channels or one for each; empty: ImageNet's.
Result<ImageRules> read_image_rules(const std::string& mean, const std::string& deviation);

}  // namespace hone::app
