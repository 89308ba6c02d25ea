#pragma once
// A sound as an input takes it: all of it, or pieces of the length the input has.

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/tensor.h"
#include "processor/processor.h"
#include "runtime/session.h"

namespace hone {

// Whether it may take one: floats or int16, of dimensions that are 1 or open but for the last.
bool takes_sound(const Type& type);

struct SoundPieces {
  std::vector<TensorPtr> pieces;  // at least one
  std::vector<std::string> notes;
};

// A .wav of one channel, or the mean of its channels, at its own rate or another. Floats are -1 to
// 1. Where the input has a length, the last piece is filled up with zeros.
Result<SoundPieces> load_sound(const Path& file, const Port& input, std::optional<double> rate);

// Whether it may take what a processor makes of one.
bool takes_processed_sound(const Type& type, const Processor& processor);

struct ProcessedSound {
  TensorPtr sound;
  TensorPtr mask;  // null: there is none. [1,N]
  std::vector<std::string> notes;
};
inline constexpr auto sound_mask_name = "attention_mask";
// A .wav as the processor makes it. One of another rate than the processor's is refused, unless a
// `rate` is said: it is brought to that. REQUIRES: the processor is for sounds.
Result<ProcessedSound> process_sound(const Path& file, const Port& input,
                                     const Processor& processor, std::optional<double> rate);

}  // namespace hone
