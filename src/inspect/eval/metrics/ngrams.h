#pragma once
// How alike a text is to one that was expected: chrF and chrF++ as sacreBLEU computes them, ROUGE-L
// as rouge-score does.

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace hone {

// By order, those of characters and then those of words: how many n-grams the answer has, how many
// were expected, and how many are in both. They add up over sentences.
constexpr std::size_t chrf_characters = 6;
constexpr std::size_t chrf_words = 2;
struct NgramCounts {
  double got = 0;
  double expected = 0;
  double both = 0;
};
using ChrfCounts = std::array<NgramCounts, chrf_characters + chrf_words>;

ChrfCounts chrf_counts(std::string_view expected, std::string_view got);
// 0 to 1. chrF takes the first six, chrF++ all of them.
double chrf_of(std::span<const NgramCounts> counts);

// F of the longest common subsequence of words, which are runs of a-z and 0-9 of the lower case
// text; 0 where a text has none. No stemming.
double rouge_l(std::string_view expected, std::string_view got);

}  // namespace hone
