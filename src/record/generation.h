#pragma once
// What decides which token follows, and what a model wrote.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/target.h"

namespace hone {

inline constexpr std::int64_t generation_schema_version = 1;

// As said; what is not said is as generation_config.json has it (generate/settings.h).
struct TokenChoice {
  std::optional<std::int64_t> max_tokens{};
  std::optional<double> temperature{};  // said, it draws; so do the two below
  std::optional<std::int64_t> top_k{};
  std::optional<double> top_p{};
  std::optional<double> repetition_penalty{};
  std::optional<std::int64_t> beams{};
  std::uint64_t seed = 0;
  std::vector<std::string> stop{};  // texts that end it
};
template <RecordOf<TokenChoice> Self>
void for_each_field(Self& choice, auto&& field) {
  field("max_tokens", choice.max_tokens);
  field("temperature", choice.temperature);
  field("top_k", choice.top_k);
  field("top_p", choice.top_p);
  field("repetition_penalty", choice.repetition_penalty);
  field("beams", choice.beams);
  field("seed", choice.seed);
  field("stop", choice.stop);
}

enum class StopReason { end_token, max_tokens, stop_text, context_full, interrupted };
constexpr auto enum_names(StopReason) {
  return std::to_array<EnumName<StopReason>>({{StopReason::end_token, "end_token"},
                                              {StopReason::max_tokens, "max_tokens"},
                                              {StopReason::stop_text, "stop_text"},
                                              {StopReason::context_full, "context_full"},
                                              {StopReason::interrupted, "interrupted"}});
}

// Of one prompt.
struct GeneratedText {
  std::int64_t prompt_tokens = 0;
  std::vector<std::int64_t> tokens;   // what was written: no prompt, no padding; its end token too
  std::optional<std::string> text{};  // null: there is no tokenizer
  StopReason stopped_by = StopReason::max_tokens;
  std::optional<double> score{};  // of beams: log probability by length
};
template <RecordOf<GeneratedText> Self>
void for_each_field(Self& text, auto&& field) {
  field("prompt_tokens", text.prompt_tokens);
  field("tokens", text.tokens);
  field("text", text.text);
  field("stopped_by", text.stopped_by);
  field("score", text.score, Presence::when_given);
}

// By the clock of the loop. A step is all rows' next token: the run and the choice.
struct GenerationTimes {
  std::optional<double> encode_ms{};  // of an encoder
  double first_token_ms = 0;          // from the beginning, an encoder's run included
  std::vector<double> step_ms;        // of each token after the first; of beams none is told
  double total_ms = 0;
};
template <RecordOf<GenerationTimes> Self>
void for_each_field(Self& times, auto&& field) {
  field("encode_ms", times.encode_ms);
  field("first_token_ms", times.first_token_ms);
  field("step_ms", times.step_ms);
  field("total_ms", times.total_ms);
}

struct Generation {
  std::vector<GeneratedText> texts;  // in the order of the prompts
  GenerationTimes times;
};
template <RecordOf<Generation> Self>
void for_each_field(Self& generation, auto&& field) {
  field("texts", generation.texts);
  field("times", generation.times);
}

// The answer of `hone generate`.
struct GenerateReport {
  std::string model;
  std::vector<std::string> parts;  // that ran: "decoder_model", ...; one: "model"
  Target target;
  std::string runtime_version;
  std::string decoding;  // "greedy", "beam search, 4 beams", "drawn: temperature 0.7, seed 1"
  std::int64_t max_tokens = 0;
  Generation generation;
  std::vector<std::string> notes;
};
template <RecordOf<GenerateReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("model", report.model);
  field("parts", report.parts);
  field("target", report.target);
  field("runtime_version", report.runtime_version);
  field("decoding", report.decoding);
  field("max_tokens", report.max_tokens);
  field("texts", report.generation.texts);
  field("times", report.generation.times);
  field("notes", report.notes);
}

}  // namespace hone
