#pragma once
// Pictures from files, as image models take them.

#include <string>
#include <vector>

#include "base/file.h"
#include "runtime/samples.h"

namespace hone {

// Rows of pixels, the first row on top; `channels` bytes each.
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 0;
  std::string bytes;
};

// What becomes of a byte: (byte / 255 - mean) / deviation, channel by channel. The defaults are
// those of ImageNet.
struct ImageRules {
  std::vector<double> mean = {0.485, 0.456, 0.406};
  std::vector<double> deviation = {0.229, 0.224, 0.225};
  std::size_t size = 224;  // of a side that the model leaves open
};

bool is_image_file(const Path& file);

// PNG, JPEG or BMP as RGB, or as grey where `channels` is 1.
Result<Image> read_image(const Path& file, std::size_t channels);

// Scaled, averaging where it becomes smaller. REQUIRES: no size is 0.
Image resize(const Image& image, std::size_t width, std::size_t height);

// One image as the input wants it: [1,C,H,W] or [1,H,W,C] of float, C being 1 or 3. The whole
// picture is scaled to H x W.
Result<TensorPtr> load_image(const Path& file, const Port& input, const ImageRules& rules);

}  // namespace hone
