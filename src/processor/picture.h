#pragma once
// What a processor makes of a picture: bytes of another size, then numbers.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "processor/resize.h"
#include "processor/sizes.h"

namespace hone {

// In the order in which it is done. Pictures have red, green and blue.
struct PicturePlan {
  std::optional<Sizing> sizing;  // none: as large as it is
  Filter filter = Filter::bilinear;
  std::optional<PictureSize> crop;  // from the middle, zeros around where the picture is smaller
  // What the bytes of each channel become.
  std::vector<std::array<float, 256>> numbers;
  bool keeps_bytes = false;           // the numbers are the bytes
  bool flips_channels = false;        // blue, green, red
  std::optional<PictureSize> pad_to;  // zeros to the right and below
  std::size_t pad_multiple = 1;       // zeros on all sides
  bool has_mask = false;
  std::string words;  // what is done, for people
};

struct PreparedPicture {
  PictureSize size;
  std::vector<float> values;       // channel by channel, row by row
  std::vector<std::int64_t> mask;  // 1 where there is a picture; empty: the kind has none
};

// What the caller says over the configuration.
struct PictureWishes {
  std::optional<PictureSize> size;  // the whole picture is scaled to it, nothing cut off or added
  std::vector<double> mean;         // of 0 to 1, one or one per channel; empty: not said
  std::vector<double> deviation;
};

// What a kind does that its keys do not say.
struct PictureFacts {
  Result<Sizing> (*sizing)(Settings& settings) = nullptr;
  bool has_mask = false;        // where it pads
  bool flips_channels = false;  // always
};

Result<PicturePlan> read_picture_plan(Settings& settings, const PictureFacts& facts,
                                      const PictureWishes& wishes);

// REQUIRES: the picture has three channels and is not empty.
Result<PreparedPicture> prepare_picture(const PicturePlan& plan, const Image& picture);

}  // namespace hone
