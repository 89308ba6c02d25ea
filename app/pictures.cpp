#include "app/pictures.h"

#include <algorithm>
#include <cmath>

#include "base/misuse.h"
#include "base/system_files.h"
#include "base/text.h"

namespace hone::app {
namespace {

Result<std::vector<double>> read_numbers(const std::string& text, const std::string& option) {
  std::vector<double> numbers;
  if (text.empty()) return numbers;
  for (const std::string& word : split(text, ',')) {
    const std::optional<double> number = parse_number<double>(word);
    if (!number || !std::isfinite(*number)) {
      return misuse("'" + word + "' is no value for " + option,
                    "it takes a number, or one per channel: 0.485,0.456,0.406");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

Result<PictureOrder> read_pictures(const std::string& mean, const std::string& deviation) {
  PictureOrder order;
  HONE_TRY(order.mean, read_numbers(mean, "--mean"));
  HONE_TRY(order.deviation, read_numbers(deviation, "--std"));
  return order;
}

Result<std::optional<ImageSize>> read_image_size(const std::string& option,
                                                 const std::string& text) {
  if (text.empty()) return std::optional<ImageSize>();
  std::vector<std::int64_t> sides;
  for (const std::string& word : split(text, 'x'))
    sides.push_back(parse_number<std::int64_t>(word).value_or(0));
  constexpr std::int64_t most = 1 << 14;
  const bool are_sides =
      std::ranges::all_of(sides, [&](std::int64_t side) { return side > 0 && side <= most; });
  if (!are_sides || sides.size() > 2)
    return misuse("'" + text + "' is no value for " + option,
                  "it takes a side or HEIGHTxWIDTH: 224, 48x320");
  return std::optional(ImageSize{sides.front(), sides.back()});
}

}  // namespace hone::app
