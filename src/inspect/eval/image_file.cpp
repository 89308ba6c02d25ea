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
#include <cmath>

#include "base/text.h"
#include "model/elements.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 4> extensions = {".png", ".jpg", ".jpeg", ".bmp"};

// Weights of the pixels of one line that make one pixel of the scaled line: a triangle, as wide as
// what it stands for.
struct Mix {
  std::size_t first = 0;
  std::vector<double> weights;
};

std::vector<Mix> mixes(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(1.0, scale);
  std::vector<Mix> all(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(centre - reach + 0.5)));
    const auto end = std::min(from, static_cast<std::size_t>(std::ceil(centre + reach - 0.5)));
    all[i].first = first;
    double sum = 0;
    for (std::size_t at = first; at < end; ++at) {
      const double distance = std::abs(static_cast<double>(at) + 0.5 - centre) / reach;
      all[i].weights.push_back(std::max(0.0, 1 - distance));
      sum += all[i].weights.back();
    }
    for (double& weight : all[i].weights) weight /= sum;
  }
  return all;
}

std::size_t offset(const Image& image, std::size_t x, std::size_t y, std::size_t channel) {
  return (y * image.width + x) * image.channels + channel;
}

double byte_at(const Image& image, std::size_t x, std::size_t y, std::size_t channel) {
  return static_cast<unsigned char>(image.bytes[offset(image, x, y, channel)]);
}

char to_byte(double value) {
  return static_cast<char>(static_cast<unsigned char>(std::lround(std::clamp(value, 0.0, 255.0))));
}

Image blank(std::size_t width, std::size_t height, std::size_t channels) {
  return {width, height, channels, std::string(width * height * channels, '\0')};
}

struct ImageShape {
  std::vector<std::int64_t> dims;
  std::size_t channels = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  bool channels_last = false;
};

Result<ImageShape> shape_for(const Port& input, const ImageRules& rules) {
  const Failure refusal = fail(
      Fault::unsupported,
      "the input '" + printable(input.name) + "' takes no picture: " + to_string(input.type), {},
      "pictures go into float[N,C,H,W] or float[N,H,W,C] of 1 or 3 channels; else give .npz files");
  if (input.type.element != ElementType::float32 || !input.type.shape ||
      input.type.shape->size() != 4)
    return refusal;
  const Shape& shape = *input.type.shape;
  const auto is_channels = [&](std::size_t axis) {
    return shape[axis].value == 1 || shape[axis].value == 3;
  };
  if (!is_channels(1) && !is_channels(3)) return refusal;
  ImageShape made;
  made.channels_last = !is_channels(1);
  const std::size_t rows = made.channels_last ? 1 : 2;
  const auto extent = [&](std::size_t axis) {
    return shape[axis].value ? static_cast<std::size_t>(*shape[axis].value) : rules.size;
  };
  made.channels = extent(made.channels_last ? 3 : 1);
  made.height = extent(rows);
  made.width = extent(rows + 1);
  if (made.height == 0 || made.width == 0) return refusal;
  const auto c = static_cast<std::int64_t>(made.channels);
  const auto h = static_cast<std::int64_t>(made.height);
  const auto w = static_cast<std::int64_t>(made.width);
  made.dims = made.channels_last ? std::vector<std::int64_t>{1, h, w, c}
                                 : std::vector<std::int64_t>{1, c, h, w};
  return made;
}

}  // namespace

bool is_image_file(const Path& file) {
  return std::ranges::find(extensions, lowercase(file.extension().string())) != extensions.end();
}

Result<Image> read_image(const Path& file, std::size_t channels) {
  HONE_TRY(const std::string bytes, read_file(file, std::uint64_t{256} << 20));
  int width = 0;
  int height = 0;
  int found = 0;
  stbi_uc* const pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()),
                                                static_cast<int>(bytes.size()), &width, &height,
                                                &found, static_cast<int>(channels));
  if (pixels == nullptr) {
    return fail(Fault::bad_input, "'" + file.string() + "' is no picture that can be read",
                stbi_failure_reason(), "PNG, JPEG and BMP files are");
  }
  Image image{static_cast<std::size_t>(width), static_cast<std::size_t>(height), channels, {}};
  image.bytes.assign(reinterpret_cast<const char*>(pixels),
                     image.width * image.height * image.channels);
  stbi_image_free(pixels);
  return image;
}

Image resize(const Image& image, std::size_t width, std::size_t height) {
  Image narrow = blank(width, image.height, image.channels);
  const std::vector<Mix> columns = mixes(image.width, width);
  for (std::size_t y = 0; y < image.height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t channel = 0; channel < image.channels; ++channel) {
        double sum = 0;
        for (std::size_t i = 0; i < columns[x].weights.size(); ++i)
          sum += columns[x].weights[i] * byte_at(image, columns[x].first + i, y, channel);
        narrow.bytes[offset(narrow, x, y, channel)] = to_byte(sum);
      }
    }
  }
  Image scaled = blank(width, height, image.channels);
  const std::vector<Mix> rows = mixes(image.height, height);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t channel = 0; channel < image.channels; ++channel) {
        double sum = 0;
        for (std::size_t i = 0; i < rows[y].weights.size(); ++i)
          sum += rows[y].weights[i] * byte_at(narrow, x, rows[y].first + i, channel);
        scaled.bytes[offset(scaled, x, y, channel)] = to_byte(sum);
      }
    }
  }
  return scaled;
}

Result<TensorPtr> load_image(const Path& file, const Port& input, const ImageRules& rules) {
  HONE_TRY(const ImageShape shape, shape_for(input, rules));
  HONE_TRY(const Image picture, read_image(file, shape.channels));
  const Image image = resize(picture, shape.width, shape.height);
  std::vector<double> numbers(image.bytes.size());
  const std::size_t plane = shape.width * shape.height;
  for (std::size_t pixel = 0; pixel < plane; ++pixel) {
    for (std::size_t channel = 0; channel < shape.channels; ++channel) {
      const double byte = static_cast<unsigned char>(image.bytes[pixel * shape.channels + channel]);
      const std::size_t at =
          shape.channels_last ? pixel * shape.channels + channel : channel * plane + pixel;
      numbers[at] = (byte / 255 - rules.mean[channel % rules.mean.size()]) /
                    rules.deviation[channel % rules.deviation.size()];
    }
  }
  std::string bytes(numbers.size() * sizeof(float), '\0');
  encode_elements(ElementType::float32, numbers, bytes.data());
  return make_tensor(input.name, ElementType::float32, shape.dims, Blob::own(std::move(bytes)));
}

}  // namespace hone
