#pragma once
// Pictures from files, as image models take them.

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "processor/processor.h"
#include "runtime/samples.h"

namespace hone {

// What becomes of a byte for an input of floats: (byte / 255 - mean) / deviation, channel by
// channel. The defaults are those of ImageNet. Integers take the byte as it is.
struct ImageRules {
  std::vector<double> mean = {0.485, 0.456, 0.406};
  std::vector<double> deviation = {0.229, 0.224, 0.225};
  std::size_t size = 224;  // of a side that the model leaves open
};

// How an input takes a picture.
struct ImageLayout {
  std::vector<std::int64_t> dims;
  ElementType element = ElementType::float32;
  std::size_t channels = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t rows_axis = 0;  // of the height; that of the width is the next
  bool channels_last = false;
};

// Whether it may take one, as far as type and rank tell.
bool takes_picture(const Type& type);

// [1,C,H,W], [1,H,W,C] or the same without the first, C being 1 or 3, of floats or of integers that
// hold a byte. A side that is open is `open_side`.
Result<ImageLayout> image_layout(const Port& input, std::size_t open_side);

bool is_image_file(const Path& file);

// PNG, JPEG or BMP as RGB, or as grey where `channels` is 1. One whose end is missing is refused.
Result<Image> read_image(const Path& file, std::size_t channels);

// What the pixels of a PNG say that is no picture: classes, or depth. Of a PNG with a palette they
// are its places there; colours that are no grey are refused.
struct Levels {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint16_t> values;
};
Result<Levels> read_levels(const Path& file);

// REQUIRES: the image has the layout's size and channels.
TensorPtr image_tensor(const Image& image, const std::string& name, const ImageLayout& layout,
                       const ImageRules& rules);

// One image as the input wants it: the whole picture is scaled to H x W.
Result<TensorPtr> load_image(const Path& file, const Port& input, const ImageRules& rules);

// One image as a processor makes it: the input's tensor, and a mask where the kind has one. Refused
// where the input takes another shape or other numbers. REQUIRES: the processor is for pictures.
struct ProcessedImage {
  TensorPtr picture;
  TensorPtr mask;  // null: there is none. [1,H,W]
};
inline constexpr auto pixel_mask_name = "pixel_mask";
Result<ProcessedImage> process_image(const Path& file, const Port& input,
                                     const Processor& processor);

}  // namespace hone
