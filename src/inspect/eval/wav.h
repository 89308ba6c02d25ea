#pragma once
// Sound as numbers: WAV files of 16-bit samples, and another rate of them.

#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone {

struct Sound {
  double rate = 0;              // samples a second
  std::vector<double> samples;  // one channel, -1 to 1
};

// PCM, 16 bits, one channel. A data chunk that claims more than there is goes to the end: programs
// that write to a pipe cannot know its size before.
Result<Sound> read_wav(std::string_view bytes);

// Straight lines between samples. REQUIRES: rate > 0.
Sound resample(const Sound& sound, double rate);

}  // namespace hone
