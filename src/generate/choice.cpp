#include "generate/choice.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/misuse.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr std::int64_t most_tokens = 1 << 24;
constexpr std::int64_t most_beams = 1024;

std::string number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

Status check_said(const TokenChoice& said) {
  if (said.max_tokens && (*said.max_tokens < 1 || *said.max_tokens > most_tokens))
    return misuse("there cannot be " + std::to_string(*said.max_tokens) + " tokens at most",
                  "--max-tokens takes 1 or more");
  if (said.temperature && !(*said.temperature > 0 && *said.temperature <= 100))
    return misuse("a temperature of " + number(*said.temperature) + " cannot be",
                  "it is above 0, and 1 leaves probabilities as they are; without --temperature, "
                  "--top-k and --top-p the likeliest token is taken");
  if (said.top_k && *said.top_k < 1)
    return misuse("--top-k takes the best 1 or more, not " + std::to_string(*said.top_k),
                  "--top-k 40");
  if (said.top_p && !(*said.top_p > 0 && *said.top_p <= 1))
    return misuse("--top-p is a share above 0 and at most 1, not " + number(*said.top_p),
                  "--top-p 0.9");
  if (said.repetition_penalty && !(*said.repetition_penalty > 0))
    return misuse("--repetition-penalty is above 0, not " + number(*said.repetition_penalty),
                  "1 changes nothing, 1.2 is usual");
  if (said.beams && (*said.beams < 1 || *said.beams > most_beams))
    return misuse("there cannot be " + std::to_string(*said.beams) + " beams",
                  "--beams takes 1 to 1024; 4 is usual");
  return done();
}

std::int64_t most_tokens_of(const TokenChoice& said, const GenerationSettings& settings,
                            std::size_t opening) {
  if (said.max_tokens) return *said.max_tokens;
  if (settings.most_tokens > 0) return settings.most_tokens;
  const std::int64_t left = settings.most_length - static_cast<std::int64_t>(opening);
  return settings.most_length > 0 ? std::max<std::int64_t>(left, 1) : usual_max_tokens;
}

std::int64_t least_written(const ChoiceRules& rules, const SoFar& text) {
  const auto in_front = static_cast<std::int64_t>(text.all.size()) - text.written;
  return std::max(rules.settings.least_tokens, rules.settings.least_length - in_front);
}

}  // namespace

Result<ChoiceRules> settle_choice(const TokenChoice& said, GenerationSettings settings,
                                  std::size_t opening) {
  HONE_TRY_DO(check_said(said));
  ChoiceRules rules;
  rules.max_tokens = most_tokens_of(said, settings, opening);
  rules.draws = said.temperature || said.top_k || said.top_p;
  rules.temperature = said.temperature.value_or(1);
  rules.top_k = static_cast<std::size_t>(said.top_k.value_or(0));
  rules.top_p = said.top_p.value_or(1);
  rules.seed = said.seed;
  settings.repetition_penalty = said.repetition_penalty.value_or(settings.repetition_penalty);
  if (rules.draws && said.beams.value_or(1) > 1)
    return misuse("beams are searched, and not drawn",
                  "either --beams, or --temperature, --top-k and --top-p");
  settings.beams = rules.draws ? 1 : said.beams.value_or(settings.beams);
  rules.settings = std::move(settings);
  return rules;
}

std::string describe(const ChoiceRules& rules) {
  std::string text = "greedy";
  if (rules.settings.beams > 1)
    text = "beam search, " + std::to_string(rules.settings.beams) + " beams";
  if (rules.draws) {
    text = "drawn: temperature " + number(rules.temperature);
    if (rules.top_k > 0) text += ", top-k " + std::to_string(rules.top_k);
    if (rules.top_p < 1) text += ", top-p " + number(rules.top_p);
    text += ", seed " + std::to_string(rules.seed);
  }
  if (rules.settings.repetition_penalty != 1)
    text += ", repetition penalty " + number(rules.settings.repetition_penalty);
  return text;
}

void apply_rules(const ChoiceRules& rules, const SoFar& text, Logits logits) {
  const GenerationSettings& settings = rules.settings;
  penalize_repetition(logits, text.all, settings.repetition_penalty);
  forbid_repeated_ngrams(logits, text.all, static_cast<std::size_t>(settings.ngram));
  if (text.written < least_written(rules, text)) forbid(logits, settings.ends);
  forbid(logits, settings.never);
  if (text.written == 0) forbid(logits, settings.never_first);
  if (text.written == 0 && settings.forced_first) force(logits, *settings.forced_first);
  const bool is_last = text.written == rules.max_tokens - 1;
  if (is_last && settings.forced_last) force(logits, *settings.forced_last);
}

std::int64_t choose(const ChoiceRules& rules, Logits logits, Random& random) {
  if (!rules.draws) return likeliest(logits);
  apply_temperature(logits, rules.temperature);
  keep_top_k(logits, rules.top_k);
  keep_top_p(logits, rules.top_p);
  return draw(logits, random);
}

bool is_end(const ChoiceRules& rules, std::int64_t token) {
  return std::ranges::find(rules.settings.ends, token) != rules.settings.ends.end();
}

}  // namespace hone
