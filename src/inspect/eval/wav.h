#pragma once
// Sound as numbers: WAV files, and another rate of them.

#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone {

struct Sound {
  double rate = 0;              // samples a second
  std::vector<double> samples;  // one channel, -1 to 1; what is stored as floats may be beyond
  std::size_t channels = 1;     // in the file; their mean is taken
  bool is_cut = false;          // the file says that there is more
};

// PCM of 8, 16, 24 and 32 bits and floats, of any number of channels. A data chunk that claims more
// than there is goes to the end: programs that write to a pipe cannot know its size before.
Result<Sound> read_wav(std::string_view bytes);

// Straight lines between samples. REQUIRES: rate > 0.
Sound resample(const Sound& sound, double rate);

}  // namespace hone
