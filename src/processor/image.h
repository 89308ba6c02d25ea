#pragma once
// A picture in memory.

#include <cstddef>
#include <string>

namespace hone {

// Rows of pixels, the first row on top; `channels` bytes each.
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 0;
  std::string bytes;
};

struct PictureSize {
  std::size_t height = 0;
  std::size_t width = 0;
  bool operator==(const PictureSize&) const = default;
};

// "224x224", height before width.
std::string to_string(const PictureSize& extent);

// No side of a picture is longer; what a file only claims cannot take more memory than that.
inline constexpr std::size_t most_side = std::size_t{1} << 14;
inline constexpr std::size_t most_pixels = std::size_t{1} << 25;

}  // namespace hone
