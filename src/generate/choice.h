#pragma once
// How the next token is chosen: what was said, over what the checkpoint says.

#include <span>
#include <string>

#include "generate/logits.h"
#include "generate/settings.h"
#include "record/generation.h"

namespace hone {

struct ChoiceRules {
  GenerationSettings settings;
  std::int64_t max_tokens = 1;
  bool draws = false;
  double temperature = 1;
  std::size_t top_k = 0;  // 0: all
  double top_p = 1;
  std::uint64_t seed = 0;
};

// Where neither says how long, this is the most.
inline constexpr std::int64_t usual_max_tokens = 256;

// REQUIRES nothing of what was said: what cannot be meant is refused by name. `opening`: how many
// tokens stand in front of what a decoder writes.
Result<ChoiceRules> settle_choice(const TokenChoice& said, GenerationSettings settings,
                                  std::size_t opening);

// "greedy", "beam search, 4 beams", "drawn: temperature 0.7, top-k 40, seed 1".
std::string describe(const ChoiceRules& rules);

// One text on its way.
struct SoFar {
  std::span<const std::int64_t> all;  // with what is in front
  std::int64_t written = 0;           // of these
};

// What the rules do to the scores of its next token before one is drawn: penalties, and what must
// come or must not.
void apply_rules(const ChoiceRules& rules, const SoFar& text, Logits logits);
// REQUIRES: apply_rules().
std::int64_t choose(const ChoiceRules& rules, Logits logits, Random& random);

bool is_end(const ChoiceRules& rules, std::int64_t token);

}  // namespace hone
