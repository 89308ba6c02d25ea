#include "inspect/eval/wav.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

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

Status read_format(std::string_view body, Sound& sound) {
  if (body.size() < format_size) return refuse("its format is cut short");
  const bool is_plain = read_at<std::uint16_t>(body, 0) == 1 &&
                        read_at<std::uint16_t>(body, 2) == 1 &&
                        read_at<std::uint16_t>(body, 14) == 16;
  if (!is_plain) return refuse("it is not PCM of 16 bits in one channel");
  sound.rate = read_at<std::uint32_t>(body, 4);
  return sound.rate > 0 ? done() : Status(refuse("its rate is 0"));
}

}  // namespace

Result<Sound> read_wav(std::string_view bytes) {
  if (bytes.size() < riff_size || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE")
    return refuse("it does not start as one");
  Sound sound;
  bytes.remove_prefix(riff_size);
  while (bytes.size() >= chunk_header) {
    const std::string_view name = bytes.substr(0, 4);
    const std::size_t size = read_at<std::uint32_t>(bytes, 4);
    bytes.remove_prefix(chunk_header);
    const std::string_view body = bytes.substr(0, size);
    if (name == "fmt ") HONE_TRY_DO(read_format(body, sound));
    if (name == "data") {
      if (sound.rate == 0) return refuse("its data comes before its format");
      for (std::size_t i = 0; i + 1 < body.size(); i += 2)
        sound.samples.push_back(read_at<std::int16_t>(body, i) / 32768.0);
      return sound;
    }
    // Chunks start at even places.
    bytes.remove_prefix(std::min(bytes.size(), size + size % 2));
  }
  return refuse("it has no data");
}

Sound resample(const Sound& sound, double rate) {
  Sound result{rate, {}};
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
