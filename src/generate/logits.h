#pragma once
// What is done to the scores of the next token before one is chosen, each by itself: pure functions
// of the scores, in the order in which transformers does them. A token that cannot be chosen has
// the score -infinity.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.h"

namespace hone {

using Logits = std::span<float>;
using TokenList = std::span<const std::int64_t>;

// Ids that the vocabulary does not have are left alone, here and below.
void forbid(Logits logits, TokenList tokens);
void force(Logits logits, std::int64_t token);
// What was said before gets less likely: scores above zero are divided, those below multiplied.
void penalize_repetition(Logits logits, TokenList said, double penalty);
// No `length` tokens in a row come twice.
void forbid_repeated_ngrams(Logits logits, TokenList said, std::size_t length);

// REQUIRES: temperature > 0.
void apply_temperature(Logits logits, double temperature);
// The k best ones stay, and those as good as the last of them. 0: all.
void keep_top_k(Logits logits, std::size_t k);
// The fewest whose probabilities come to p stay, at least one.
void keep_top_p(Logits logits, double p);

// The best one; of equals the first.
std::int64_t likeliest(std::span<const float> logits);
// One by its probability.
std::int64_t draw(std::span<const float> logits, Random& random);
// Logarithms of probabilities in the place of scores.
void to_log_probabilities(Logits logits);

}  // namespace hone
