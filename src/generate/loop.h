#pragma once
// The loop: from prompts to texts, a token of each row at a time.

#include <atomic>
#include <functional>
#include <vector>

#include "generate/choice.h"
#include "generate/scorer.h"
#include "record/generation.h"

namespace hone {

// What a loop tells, and asks.
struct GenerateHooks {
  // Of each token as it is chosen; false: the row ends with it (a stop text).
  std::function<bool(std::size_t row, std::int64_t token)> chosen{};
  const std::atomic<bool>* stop = nullptr;  // ends all rows after the step that runs
};

// What stands in front of what is written, a row for each text.
using Prompts = std::vector<std::vector<std::int64_t>>;

// Rows side by side, shorter ones filled up on the left.
TokenRows align_left_padded(const Prompts& prompts, std::int64_t padding);

// A prompt without tokens, or longer than the context, is refused.
Status check_prompts(const Prompts& prompts, const ChoiceRules& rules);

// REQUIRES nothing of the prompts: they are checked. Greedy or drawn; `started`: when
// the clock began, in nanoseconds of steady_clock.
Result<Generation> write_texts(Scorer& scorer, const Prompts& prompts, const ChoiceRules& rules,
                               const GenerateHooks& hooks, std::int64_t started_ns);

// The same by beam search: the best text that the beams find. Nothing is told on the way.
Result<GeneratedText> search_text(Scorer& scorer, const std::vector<std::int64_t>& prompt,
                                  const ChoiceRules& rules, const GenerateHooks& hooks);

// Tokens in front, where some are for the model to choose: runs it as often as there are such.
// REQUIRES: the first one is said.
Result<std::vector<std::int64_t>> settle_opening(Scorer& scorer,
                                                 const std::vector<OpeningToken>& opening);

// Nanoseconds of steady_clock.
std::int64_t now_ns();

}  // namespace hone
