#pragma once
// What a checkpoint says of how it writes: generation_config.json, or config.json where there is
// none, as transformers reads them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/result.h"

namespace hone {

// A token in front of what a decoder writes: the one that is said, or the likeliest of some.
struct OpeningToken {
  std::optional<std::int64_t> id{};
  std::vector<std::int64_t> among{};  // empty: of all
};

struct GenerationSettings {
  std::vector<std::int64_t> ends{};  // tokens after which there is nothing
  std::optional<std::int64_t> padding{};
  std::vector<OpeningToken> opening{};  // of a decoder with an encoder: at least one
  std::optional<std::int64_t> forced_first{};
  std::optional<std::int64_t> forced_last{};  // where the most tokens are reached
  std::vector<std::int64_t> never{};
  std::vector<std::int64_t> never_first{};
  std::int64_t context = 0;  // tokens that the decoder takes; 0: any number
  // Of what is written; 0: not said.
  std::int64_t least_tokens = 0;
  std::int64_t most_tokens = 0;
  std::int64_t least_length = 0;  // the same with what was in front of it
  std::int64_t most_length = 0;
  std::int64_t beams = 1;
  double length_penalty = 1;
  bool stops_early = false;  // beams: once there are as many texts as beams
  double repetition_penalty = 1;
  std::int64_t ngram = 0;            // of so many tokens none comes twice; 0: any may
  std::vector<std::string> notes{};  // what is said and not done
};

// `generation` is null where there is no generation_config.json.
Result<GenerationSettings> read_generation_settings(const Json& config, const Json& generation);
// From the files of a folder. One without any has nothing that ends a text.
Result<GenerationSettings> load_generation_settings(const Path& folder);

}  // namespace hone
