#include "inspect/eval/image_file.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
// A file cannot make us take more than 16384 x 16384 pixels.
#define STBI_MAX_DIMENSIONS 16384
#include <stb/stb_image.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "model/elements.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 4> extensions = {".png", ".jpg", ".jpeg", ".bmp"};

bool holds_pixels(ElementType type) {
  return holds_numbers(type) && type != ElementType::int8 && bits_of(type) >= 8;
}

bool may_be_channels(const Dim& dim) { return !dim.value || *dim.value == 1 || *dim.value == 3; }

template <class T>
std::int64_t number_at(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// A BMP that stb reads has its pixels as they are: sides of 16384 in a file of 119 bytes took eight
// seconds to be made up.
bool lacks_pixels(std::string_view bmp) {
  constexpr std::size_t old_header = 26;
  constexpr std::size_t header = 54;
  const bool is_old = bmp.size() >= old_header && number_at<std::uint32_t>(bmp, 14) == 12;
  if (bmp.size() < (is_old ? old_header : header)) return true;
  const std::int64_t width =
      is_old ? number_at<std::uint16_t>(bmp, 18) : number_at<std::int32_t>(bmp, 18);
  const std::int64_t height =
      is_old ? number_at<std::uint16_t>(bmp, 20) : number_at<std::int32_t>(bmp, 22);
  const std::int64_t bits = number_at<std::uint16_t>(bmp, is_old ? 24 : 28);
  const std::int64_t lines = height < 0 ? -height : height;
  constexpr std::int64_t longest = STBI_MAX_DIMENSIONS;
  if (width > longest || lines > longest) return false;  // which stb refuses in its own words
  return (width * bits + 31) / 32 * 4 * lines > static_cast<std::int64_t>(bmp.size());
}

// A JPEG ends behind the last scan that it begins, in a mark of its own; a BMP says how long it is.
// For both the reader would make up the rest.
bool is_cut_short(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xD8")) {
    const std::size_t end = bytes.rfind("\xFF\xD9");
    const std::size_t scan = bytes.rfind("\xFF\xDA");
    return end == std::string_view::npos || (scan != std::string_view::npos && end < scan);
  }
  if (!bytes.starts_with("BM") || bytes.size() < 2 + sizeof(std::uint32_t)) return false;
  return number_at<std::uint32_t>(bytes, 2) > static_cast<std::int64_t>(bytes.size()) ||
         lacks_pixels(bytes);
}

Failure no_picture(const Path& file, std::string why) {
  return fail(Fault::bad_input, "'" + file.string() + "' is no picture that can be read",
              std::move(why), "PNG, JPEG and BMP files are");
}

}  // namespace

bool takes_picture(const Type& type) {
  if (!type.is_tensor() || !holds_pixels(type.element) || !type.shape) return false;
  const std::size_t rank = type.shape->size();
  if (rank != 3 && rank != 4) return false;
  return may_be_channels((*type.shape)[rank - 3]) || may_be_channels(type.shape->back());
}

Result<ImageLayout> image_layout(const Port& input, std::size_t open_side) {
  const Failure refusal =
      fail(Fault::unsupported,
           "the input '" + printable(input.name) + "' takes no picture: " + to_string(input.type),
           {}, "pictures go into [1,C,H,W] or [1,H,W,C] of 1 or 3 channels; else give arrays");
  if (!takes_picture(input.type)) return refusal;
  const Shape& shape = *input.type.shape;
  const std::size_t first = shape.size() - 3;  // behind the batch
  const auto is_channels = [&](std::size_t axis) {
    return shape[axis].value && may_be_channels(shape[axis]);
  };
  if (!is_channels(first) && !is_channels(first + 2)) return refusal;
  if (first == 1 && shape[0].value.value_or(1) != 1) return refusal;
  ImageLayout layout;
  layout.element = input.type.element;
  layout.channels_last = !is_channels(first);
  layout.rows_axis = first + (layout.channels_last ? 0 : 1);
  const auto extent = [&](std::size_t axis) {
    return shape[axis].value ? static_cast<std::size_t>(*shape[axis].value) : open_side;
  };
  layout.channels = extent(first + (layout.channels_last ? 2 : 0));
  layout.height = extent(layout.rows_axis);
  layout.width = extent(layout.rows_axis + 1);
  constexpr std::size_t most = 1 << 14;
  if (layout.height == 0 || layout.width == 0 || std::max(layout.height, layout.width) > most)
    return refusal;
  const auto c = static_cast<std::int64_t>(layout.channels);
  const auto h = static_cast<std::int64_t>(layout.height);
  const auto w = static_cast<std::int64_t>(layout.width);
  if (first == 1) layout.dims.push_back(1);
  for (const std::int64_t dim : layout.channels_last ? std::array{h, w, c} : std::array{c, h, w})
    layout.dims.push_back(dim);
  return layout;
}

bool is_image_file(const Path& file) {
  return std::ranges::find(extensions, lowercase(file.extension().string())) != extensions.end();
}

Result<Image> read_image(const Path& file, std::size_t channels) {
  HONE_TRY(const std::string bytes, read_file(file, std::uint64_t{256} << 20));
  if (is_cut_short(bytes)) return no_picture(file, "its end is missing");
  int width = 0;
  int height = 0;
  int found = 0;
  stbi_uc* const pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()),
                                                static_cast<int>(bytes.size()), &width, &height,
                                                &found, static_cast<int>(channels));
  if (pixels == nullptr) return no_picture(file, stbi_failure_reason());
  Image image{static_cast<std::size_t>(width), static_cast<std::size_t>(height), channels, {}};
  image.bytes.assign(reinterpret_cast<const char*>(pixels),
                     image.width * image.height * image.channels);
  stbi_image_free(pixels);
  if (image.bytes.empty()) return no_picture(file, "it has no pixels");
  return image;
}

namespace {

// The colours of a PNG's palette, in its order, as RGB; empty where it has none.
std::vector<std::uint32_t> palette_of(std::string_view png) {
  std::vector<std::uint32_t> colours;
  const std::size_t mark = png.find("PLTE");
  if (!png.starts_with("\x89PNG") || mark == std::string_view::npos || mark < 4) return colours;
  const auto byte = [&](std::size_t at) -> std::uint32_t {
    return static_cast<unsigned char>(png[at]);
  };
  // Only the third kind has pixels that are places of the palette.
  constexpr std::size_t kind_at = 25;
  if (png.size() <= kind_at || byte(kind_at) != 3) return colours;
  const std::size_t length = byte(mark - 2) << 8 | byte(mark - 1);
  for (std::size_t at = mark + 4; at + 2 < std::min(png.size(), mark + 4 + length); at += 3)
    colours.push_back(byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2));
  return colours;
}

}  // namespace

Result<Levels> read_levels(const Path& file) {
  HONE_TRY(const std::string bytes, read_file(file, std::uint64_t{256} << 20));
  if (is_cut_short(bytes)) return no_picture(file, "its end is missing");
  int width = 0;
  int height = 0;
  int found = 0;
  const auto* const data = reinterpret_cast<const stbi_uc*>(bytes.data());
  stbi_us* const pixels =
      stbi_load_16_from_memory(data, static_cast<int>(bytes.size()), &width, &height, &found, 3);
  if (pixels == nullptr) return no_picture(file, stbi_failure_reason());
  Levels levels{static_cast<std::size_t>(width), static_cast<std::size_t>(height), {}};
  // A byte became a number of 16 bits by being there twice.
  const bool is_wide = stbi_is_16_bit_from_memory(data, static_cast<int>(bytes.size())) != 0;
  const std::vector<std::uint32_t> palette = palette_of(bytes);
  bool is_grey = true;
  for (std::size_t i = 0; i < levels.width * levels.height; ++i) {
    const stbi_us* rgb = pixels + 3 * i;
    const auto level = static_cast<std::uint16_t>(is_wide ? rgb[0] : rgb[0] >> 8);
    if (palette.empty()) {
      is_grey = is_grey && rgb[0] == rgb[1] && rgb[1] == rgb[2];
      levels.values.push_back(level);
      continue;
    }
    const std::uint32_t colour = static_cast<std::uint32_t>(rgb[0] >> 8) << 16 |
                                 static_cast<std::uint32_t>(rgb[1] >> 8) << 8 |
                                 static_cast<std::uint32_t>(rgb[2] >> 8);
    const auto place = std::ranges::find(palette, colour);
    levels.values.push_back(static_cast<std::uint16_t>(place - palette.begin()));
  }
  stbi_image_free(pixels);
  if (!is_grey) return no_picture(file, "its pixels are colours, and no levels or classes");
  if (levels.values.empty()) return no_picture(file, "it has no pixels");
  return levels;
}

TensorPtr image_tensor(const Image& image, const std::string& name, const ImageLayout& layout,
                       const ImageRules& rules) {
  std::vector<double> numbers(image.bytes.size());
  const std::size_t plane = layout.width * layout.height;
  const bool is_scaled = is_float(layout.element);
  for (std::size_t pixel = 0; pixel < plane; ++pixel) {
    for (std::size_t channel = 0; channel < layout.channels; ++channel) {
      const double byte =
          static_cast<unsigned char>(image.bytes[pixel * layout.channels + channel]);
      const std::size_t at =
          layout.channels_last ? pixel * layout.channels + channel : channel * plane + pixel;
      numbers[at] = !is_scaled ? byte
                               : (byte / 255 - rules.mean[channel % rules.mean.size()]) /
                                     rules.deviation[channel % rules.deviation.size()];
    }
  }
  std::string bytes(*bytes_of(layout.element, numbers.size()), '\0');
  encode_elements(layout.element, numbers, bytes.data());
  return make_tensor(name, layout.element, layout.dims, Blob::own(std::move(bytes)));
}

Result<TensorPtr> load_image(const Path& file, const Port& input, const ImageRules& rules) {
  HONE_TRY(const ImageLayout layout, image_layout(input, rules.size));
  HONE_TRY(const Image picture, read_image(file, layout.channels));
  return image_tensor(resize(picture, layout.width, layout.height), input.name, layout, rules);
}

}  // namespace hone
