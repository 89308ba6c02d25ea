#pragma once
// Pictures with a map of the same picture in another file: masks, depth, what it should become.

#include "inspect/eval/encoder.h"

namespace hone {

// `keeps_size`: where the model takes any size it is given the picture's own.
Result<std::unique_ptr<Encoder>> open_map_encoder(const EncoderSettings& settings,
                                                  std::string column, bool keeps_size = false);

}  // namespace hone
