#pragma once
// Maps: numbers for each pixel of a picture, as models give them and as files hold them.

#include <optional>

#include "base/file.h"
#include "inspect/eval/judge.h"

namespace hone {

// Planes of one size, one behind the other.
struct Maps {
  std::size_t count = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<double> values;
  std::span<const double> plane(std::size_t index) const {
    return std::span(values).subspan(index * height * width, height * width);
  }
};

// An output [1,C,h,w], [1,h,w] or [h,w].
Result<Maps> maps_of_output(const NamedTensors& outputs, const std::string& name);
// Bilinear, pixels' middles on pixels' middles: how models of pictures are trained to be scaled.
Maps scaled(const Maps& maps, std::size_t height, std::size_t width);

// A label holds the file of what was expected: {"file": PATH}.
Result<Path> file_of_label(const Json& label);

}  // namespace hone
