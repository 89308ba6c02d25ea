#pragma once
// The pictures and the sound of tests/fixtures/processors, by the formulas that stand in
// make_expected.py, and what transformers made of them.

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "processor/image.h"

namespace hone {

inline Image sample_picture(std::size_t width, std::size_t height) {
  Image image{width, height, 3, {}};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t value =
            x * (5 + 2 * c) + y * (3 + c) + ((x * y) >> 3) * (c + 1) + (x ^ y);
        image.bytes += static_cast<char>(value & 255);
      }
    }
  }
  return image;
}

inline Image sample_picture(const std::string& name) {
  return name == "wide" ? sample_picture(301, 203) : sample_picture(45, 61);
}

inline std::vector<double> sample_sound(std::size_t count) {
  std::vector<double> samples;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
    const std::int64_t chirp = (i * i / 97) % 16384 - 8192;
    const std::int64_t noise = (((i * 1103515245 + 12345) >> 16) & 2047) - 1024;
    samples.push_back(static_cast<double>(chirp + noise) / 32768);
  }
  return samples;
}

inline Json fixture(const std::string& name) {
  const auto text = read_file(Path("tests/fixtures/processors") / name);
  HONE_CHECK(text.has_value());
  Result<Json> json = Json::parse(*text);
  HONE_CHECK(json.has_value());
  return *std::move(json);
}

}  // namespace hone
