#pragma once
// What the command line says of pictures.

#include <optional>
#include <string>

#include "flow/pictures.h"
#include "inspect/run/settle_shapes.h"

namespace hone::app {

// --mean and --std: numbers with commas between, one for all channels or one for each; empty:
// ImageNet's.
Result<PictureOrder> read_pictures(const std::string& mean, const std::string& deviation);

// "224" or "48x320", height before width; empty: nothing was said.
Result<std::optional<ImageSize>> read_image_size(const std::string& option,
                                                 const std::string& text);

}  // namespace hone::app
