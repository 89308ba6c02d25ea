#pragma once
// Pictures of another size, byte for byte as Pillow makes them: models were trained on its bytes.

#include <string_view>

#include "processor/image.h"

namespace hone {

// By Pillow's numbers, which are what `resample` of a configuration says.
enum class Filter { nearest, lanczos, bilinear, bicubic, box, hamming };
inline constexpr int filter_count = 6;
std::string_view name_of(Filter filter);

// Averages where the picture becomes smaller, but for `nearest`. REQUIRES: no size is 0.
Image resize(const Image& image, std::size_t width, std::size_t height,
             Filter filter = Filter::bilinear);

}  // namespace hone
