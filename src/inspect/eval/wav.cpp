#include "inspect/eval/wav.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace hone {
namespace {

template <class T>
T read_at(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Failure refuse(std::string why) {
  return fail(Fault::bad_input, "this is no WAV file that can be read", std::move(why));
}

constexpr std::size_t riff_size = 12;
constexpr std::size_t chunk_header = 8;
constexpr std::size_t format_size = 16;
// The longer form of a format, whose kind stands further behind.
constexpr std::uint16_t extensible = 0xFFFE;
constexpr std::size_t extensible_size = 26;
// What programs write that do not know the size yet is this or more.
constexpr std::size_t unknown_size = 0x7FFFF000;

double read_pcm8(const char* at) { return (static_cast<unsigned char>(*at) - 128) / 128.0; }

double read_pcm24(const char* at) {
  std::int32_t value = 0;
  // Into the upper three bytes, so that the sign is its own.
  std::memcpy(reinterpret_cast<char*>(&value) + 1, at, 3);
  return value / 0x1p31;
}

template <class T>
double read_pcm(const char* at) {
  return read_at<T>({at, sizeof(T)}, 0) / -static_cast<double>(std::numeric_limits<T>::min());
}

template <class T>
double read_real(const char* at) {
  return read_at<T>({at, sizeof(T)}, 0);
}

struct Coding {
  std::uint16_t kind;  // 1: whole numbers, 3: floats
  std::uint16_t bits;
  double (*read)(const char* at);
};

constexpr auto codings = std::to_array<Coding>({{1, 8, read_pcm8},
                                                {1, 16, read_pcm<std::int16_t>},
                                                {1, 24, read_pcm24},
                                                {1, 32, read_pcm<std::int32_t>},
                                                {3, 32, read_real<float>},
                                                {3, 64, read_real<double>}});

struct Format {
  double rate = 0;
  std::size_t channels = 0;
  const Coding* coding = nullptr;
};

Result<Format> read_format(std::string_view body) {
  if (body.size() < format_size) return refuse("its format is cut short");
  auto kind = read_at<std::uint16_t>(body, 0);
  if (kind == extensible && body.size() >= extensible_size) kind = read_at<std::uint16_t>(body, 24);
  const auto bits = read_at<std::uint16_t>(body, 14);
  Format format;
  format.channels = read_at<std::uint16_t>(body, 2);
  format.rate = read_at<std::uint32_t>(body, 4);
  const auto coding = std::ranges::find_if(
      codings, [&](const Coding& known) { return known.kind == kind && known.bits == bits; });
  if (coding == codings.end()) {
    return refuse("it is of kind " + std::to_string(kind) + " with " + std::to_string(bits) +
                  " bits; PCM of 8, 16, 24 and 32 bits and floats are read");
  }
  format.coding = &*coding;
  if (format.rate == 0) return refuse("its rate is 0");
  const std::size_t frame = format.channels * bits / 8;
  if (frame == 0 || frame != read_at<std::uint16_t>(body, 12))
    return refuse("its channels and the size of a sample do not fit");
  return format;
}

Result<Sound> read_samples(std::string_view body, const Format& format) {
  Sound sound{format.rate, {}, format.channels};
  const std::size_t step = format.coding->bits / 8;
  const std::size_t frame = step * format.channels;
  sound.samples.reserve(body.size() / frame);
  for (std::size_t at = 0; at + frame <= body.size(); at += frame) {
    double sum = 0;
    for (std::size_t channel = 0; channel < format.channels; ++channel)
      sum += format.coding->read(body.data() + at + channel * step);
    if (!std::isfinite(sum)) return refuse("it holds samples that are no numbers");
    sound.samples.push_back(sum / static_cast<double>(format.channels));
  }
  return sound;
}

}  // namespace

Result<Sound> read_wav(std::string_view bytes) {
  if (bytes.size() < riff_size || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE")
    return refuse("it does not start as one");
  Format format;
  bytes.remove_prefix(riff_size);
  while (bytes.size() >= chunk_header) {
    const std::string_view name = bytes.substr(0, 4);
    const std::size_t size = read_at<std::uint32_t>(bytes, 4);
    bytes.remove_prefix(chunk_header);
    const std::string_view body = bytes.substr(0, size);
    if (name == "fmt ") {
      HONE_TRY(format, read_format(body));
    }
    if (name == "data") {
      if (format.coding == nullptr) return refuse("its data comes before its format");
      HONE_TRY(Sound sound, read_samples(body, format));
      sound.is_cut = size > body.size() && size < unknown_size;
      return sound;
    }
    // Chunks start at even places.
    bytes.remove_prefix(std::min(bytes.size(), size + size % 2));
  }
  return refuse("it has no data");
}

Sound resample(const Sound& sound, double rate) {
  Sound result{rate, {}, sound.channels, sound.is_cut};
  if (sound.samples.empty()) return result;
  const double step = sound.rate / rate;
  const auto last = static_cast<double>(sound.samples.size() - 1);
  for (std::size_t i = 0; static_cast<double>(i) * step <= last; ++i) {
    const double at = static_cast<double>(i) * step;
    const auto before = static_cast<std::size_t>(at);
    const std::size_t after = std::min(before + 1, sound.samples.size() - 1);
    const double part = at - static_cast<double>(before);
    result.samples.push_back(sound.samples[before] +
                             part * (sound.samples[after] - sound.samples[before]));
  }
  return result;
}

}  // namespace hone
