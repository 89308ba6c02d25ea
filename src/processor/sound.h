#pragma once
// What a processor makes of a sound.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "processor/settings.h"

namespace hone {

struct PreparedSound {
  std::vector<std::int64_t> dims;  // without the batch
  std::vector<float> values;
  std::vector<std::int64_t> mask;  // 1 where there is sound; empty: the kind has none
  std::string note;                // what was cut off
};

struct SoundPlan {
  double rate = 0;           // that samples have to have
  bool is_waveform = false;  // samples stay samples: as many as there are, or `length`
  std::string words;
  // Samples of -1 to 1. `length`: how many the model takes, where it says so; only a waveform can
  // be filled up to it. REQUIRES: there are samples.
  std::function<Result<PreparedSound>(std::span<const double> samples,
                                      std::optional<std::size_t> length)>
      prepare;
};

// For every kind: pads on the right, and says of which rate it is.
Status read_sound(Settings& settings, SoundPlan& plan);

// Parts of kinds, in the order in which a file of processors/ needs them.
inline constexpr double most_rate = 768'000;
inline constexpr std::size_t most_sound_values = std::size_t{1} << 24;

}  // namespace hone
