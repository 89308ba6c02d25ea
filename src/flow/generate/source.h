#pragma once
// What a model that writes is given: prompts as tokens, and texts, pictures or sounds as its
// encoder takes them.

#include <optional>
#include <string>
#include <vector>

#include "flow/generate/writing_model.h"
#include "generate/loop.h"

namespace hone {

struct SourceOrder {
  std::vector<std::string> prompts;  // texts
  std::vector<std::string> tokens;   // ids with commas or spaces between them
  std::vector<std::string> inputs;   // files: pictures, sounds, or arrays as .npz
  std::optional<std::int64_t> sample_rate;
};

// Tokens of the prompts, texts first. Texts need a tokenizer.
Result<Prompts> read_prompts(const SourceOrder& order, const tokenize::Tokenizer* tokenizer);

struct Source {
  std::vector<NamedTensors> samples;  // for each text that is to be written
  std::vector<std::string> notes;
};

// For an encoder that reads texts, or for one of pictures or sounds; what it does not read is
// refused.
Result<Source> read_source(const SourceOrder& order, const Prompts& prompts,
                           const WritingModel& model, const std::vector<Port>& ports);

// Side by side; texts of different lengths are filled up behind, pictures have to be of one size.
Result<NamedTensors> join_samples(const std::vector<NamedTensors>& samples);

}  // namespace hone
