#include "processor/resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace hone {
namespace {

// Pillow's (src/libImaging/Resample.c): weights are whole numbers of 22 bits, each of the two
// passes sums 32 bits, rounds, and leaves bytes.
constexpr int precision = 32 - 8 - 2;
constexpr std::int32_t half = 1 << (precision - 1);

double box(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

double hamming(double x) {
  x = std::abs(x);
  if (x == 0.0) return 1.0;
  if (x >= 1.0) return 0.0;
  x *= std::numbers::pi;
  return std::sin(x) / x * (0.54 + 0.46 * std::cos(x));
}

double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * a;
  return 0.0;
}

double sinc(double x) {
  if (x == 0.0) return 1.0;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double lanczos(double x) { return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0; }

struct FilterFacts {
  std::string_view name;
  double support;
  double (*weight)(double);
};

constexpr std::array<FilterFacts, filter_count> facts = {{{"nearest", 0, nullptr},
                                                          {"lanczos", 3, lanczos},
                                                          {"bilinear", 1, triangle},
                                                          {"bicubic", 2, cubic},
                                                          {"box", 0.5, box},
                                                          {"hamming", 1, hamming}}};

const FilterFacts& facts_of(Filter filter) { return facts[static_cast<std::size_t>(filter)]; }

// What of a line makes each pixel of the scaled line.
struct Mixes {
  struct Span {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t weights = 0;  // where they begin
  };
  std::vector<Span> spans;
  std::vector<std::int32_t> weights;
};

std::int32_t fixed_point(double weight) {
  return static_cast<std::int32_t>((weight < 0 ? -0.5 : 0.5) + weight * (1 << precision));
}

Mixes mixes(std::size_t from, std::size_t to, const FilterFacts& filter) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double wide = std::max(1.0, scale);
  const double reach = filter.support * wide;
  Mixes all;
  std::vector<double> line;
  for (std::size_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto low = static_cast<std::int64_t>(centre - reach + 0.5);
    const auto first = static_cast<std::size_t>(std::max<std::int64_t>(low, 0));
    const std::size_t end = std::min(from, static_cast<std::size_t>(centre + reach + 0.5));
    line.clear();
    double sum = 0;
    for (std::size_t at = first; at < end; ++at) {
      line.push_back(filter.weight((static_cast<double>(at) - centre + 0.5) * (1.0 / wide)));
      sum += line.back();
    }
    all.spans.push_back({first, line.size(), all.weights.size()});
    for (const double weight : line)
      all.weights.push_back(fixed_point(sum != 0.0 ? weight / sum : weight));
  }
  return all;
}

using Byte = unsigned char;

Byte to_byte(std::int32_t sum) { return static_cast<Byte>(std::clamp(sum >> precision, 0, 255)); }

Image blank(std::size_t width, std::size_t height, std::size_t channels) {
  return {width, height, channels, std::string(width * height * channels, '\0')};
}

const Byte* pixels_of(const Image& image) {
  return reinterpret_cast<const Byte*>(image.bytes.data());
}
Byte* pixels_of(Image& image) { return reinterpret_cast<Byte*>(image.bytes.data()); }

void widen_grey_row(const Byte* row, const Mixes& columns, Byte* out) {
  for (const Mixes::Span& span : columns.spans) {
    std::int32_t sum = half;
    const std::int32_t* weight = columns.weights.data() + span.weights;
    for (std::size_t i = 0; i < span.count; ++i) sum += row[span.first + i] * weight[i];
    *out++ = to_byte(sum);
  }
}

// Three sums by name stay in registers, which an array of them does not.
void widen_coloured_row(const Byte* row, const Mixes& columns, Byte* out) {
  for (const Mixes::Span& span : columns.spans) {
    std::int32_t red = half;
    std::int32_t green = half;
    std::int32_t blue = half;
    const Byte* from = row + span.first * 3;
    const std::int32_t* weight = columns.weights.data() + span.weights;
    const std::int32_t* const end = weight + span.count;
    for (; weight != end; ++weight, from += 3) {
      red += from[0] * *weight;
      green += from[1] * *weight;
      blue += from[2] * *weight;
    }
    out[0] = to_byte(red);
    out[1] = to_byte(green);
    out[2] = to_byte(blue);
    out += 3;
  }
}

Image widen(const Image& image, std::size_t width, const FilterFacts& filter) {
  Image made = blank(width, image.height, image.channels);
  const Mixes columns = mixes(image.width, width, filter);
  for (std::size_t y = 0; y < image.height; ++y) {
    const Byte* row = pixels_of(image) + y * image.width * image.channels;
    Byte* out = pixels_of(made) + y * width * image.channels;
    if (image.channels == 3) {
      widen_coloured_row(row, columns, out);
    } else {
      widen_grey_row(row, columns, out);
    }
  }
  return made;
}

// Some columns of a row at a time: their sums stay in registers.
template <std::size_t count>
void lengthen_columns(const Byte* from, std::size_t stride, const Mixes::Span& span,
                      const std::int32_t* weights, Byte* out) {
  std::array<std::int32_t, count> sums;
  sums.fill(half);
  for (std::size_t i = 0; i < span.count; ++i, from += stride) {
    for (std::size_t c = 0; c < count; ++c) sums[c] += from[c] * weights[i];
  }
  for (std::size_t c = 0; c < count; ++c) out[c] = to_byte(sums[c]);
}

Image lengthen(const Image& image, std::size_t height, const FilterFacts& filter) {
  Image made = blank(image.width, height, image.channels);
  const Mixes rows = mixes(image.height, height, filter);
  const std::size_t stride = image.width * image.channels;
  constexpr std::size_t together = 16;
  for (std::size_t y = 0; y < height; ++y) {
    const Mixes::Span& span = rows.spans[y];
    const std::int32_t* weights = rows.weights.data() + span.weights;
    const Byte* from = pixels_of(image) + span.first * stride;
    Byte* out = pixels_of(made) + y * stride;
    std::size_t x = 0;
    for (; x + together <= stride; x += together)
      lengthen_columns<together>(from + x, stride, span, weights, out + x);
    for (; x < stride; ++x) lengthen_columns<1>(from + x, stride, span, weights, out + x);
  }
  return made;
}

// Steps are added up, as Pillow does it: a product would round elsewhere.
std::vector<std::size_t> nearest_places(std::size_t from, std::size_t to) {
  const double step = static_cast<double>(from) / static_cast<double>(to);
  std::vector<std::size_t> places;
  double at = step * 0.5;
  for (std::size_t i = 0; i < to; ++i, at += step)
    places.push_back(std::min(static_cast<std::size_t>(at), from - 1));
  return places;
}

Image pick(const Image& image, std::size_t width, std::size_t height) {
  Image made = blank(width, height, image.channels);
  const std::vector<std::size_t> columns = nearest_places(image.width, width);
  Byte* out = pixels_of(made);
  for (const std::size_t y : nearest_places(image.height, height)) {
    for (const std::size_t x : columns) {
      const Byte* pixel = pixels_of(image) + (y * image.width + x) * image.channels;
      out = std::copy_n(pixel, image.channels, out);
    }
  }
  return made;
}

}  // namespace

std::string to_string(const PictureSize& extent) {
  return std::to_string(extent.height) + "x" + std::to_string(extent.width);
}

std::string_view name_of(Filter filter) { return facts_of(filter).name; }

Image resize(const Image& image, std::size_t width, std::size_t height, Filter filter) {
  if (width == image.width && height == image.height) return image;
  if (filter == Filter::nearest) return pick(image, width, height);
  // A pass that would change nothing is left out, and with it its rounding.
  if (width == image.width) return lengthen(image, height, facts_of(filter));
  const Image wide = widen(image, width, facts_of(filter));
  return height == image.height ? wide : lengthen(wide, height, facts_of(filter));
}

}  // namespace hone
