#include "inspect/eval/metrics/ngrams.h"

#include <algorithm>
#include <map>
#include <string>

#include "inspect/eval/metrics/letters.h"

namespace hone {
namespace {

using Counts = std::map<std::u32string, double>;

Counts character_ngrams(const std::u32string& text, std::size_t order) {
  Counts counts;
  for (std::size_t i = 0; i + order <= text.size(); ++i) ++counts[text.substr(i, order)];
  return counts;
}

Counts word_ngrams(const std::vector<std::u32string>& words, std::size_t order) {
  Counts counts;
  for (std::size_t i = 0; i + order <= words.size(); ++i) {
    std::u32string ngram = words[i];
    for (std::size_t j = 1; j < order; ++j) ngram += U' ' + words[i + j];
    ++counts[ngram];
  }
  return counts;
}

double sum_of(const Counts& counts) {
  double sum = 0;
  for (const auto& [ngram, count] : counts) sum += count;
  return sum;
}

NgramCounts compare(const Counts& expected, const Counts& got) {
  NgramCounts counts;
  counts.expected = sum_of(expected);
  // Orders that what was expected is too short for do not count against the answer.
  counts.got = expected.empty() ? 0 : sum_of(got);
  for (const auto& [ngram, count] : got) {
    if (const auto found = expected.find(ngram); found != expected.end())
      counts.both += std::min(count, found->second);
  }
  return counts;
}

std::u32string without_spaces(const std::u32string& text) {
  std::u32string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](char32_t c) { return !is_space(c); });
  return kept;
}

bool is_ascii_mark(char32_t point) {
  return point > 0x20 && point < 0x7F && !(point >= U'0' && point <= U'9') &&
         !(point >= U'a' && point <= U'z') && !(point >= U'A' && point <= U'Z');
}

// A mark at the end of a word is a word of its own, else one at its start.
std::vector<std::u32string> words_and_marks(const std::u32string& text) {
  std::vector<std::u32string> words;
  for (const std::u32string& word : words_in(text)) {
    if (word.size() > 1 && is_ascii_mark(word.back())) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_mark(word.front())) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

std::vector<std::string> plain_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char32_t point : lowercase_of(text)) {
    const bool counts = (point >= U'a' && point <= U'z') || (point >= U'0' && point <= U'9');
    if (counts && !inside) words.emplace_back();
    if (counts) words.back() += static_cast<char>(point);
    inside = counts;
  }
  return words;
}

std::size_t longest_common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const std::string& word : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = word == b[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

ChrfCounts chrf_counts(std::string_view expected, std::string_view got) {
  const std::u32string wanted = code_points(expected);
  const std::u32string given = code_points(got);
  const std::u32string wanted_letters = without_spaces(wanted);
  const std::u32string given_letters = without_spaces(given);
  const auto wanted_words = words_and_marks(wanted);
  const auto given_words = words_and_marks(given);
  ChrfCounts counts;
  for (std::size_t order = 1; order <= chrf_characters; ++order) {
    counts[order - 1] =
        compare(character_ngrams(wanted_letters, order), character_ngrams(given_letters, order));
  }
  for (std::size_t order = 1; order <= chrf_words; ++order) {
    counts[chrf_characters + order - 1] =
        compare(word_ngrams(wanted_words, order), word_ngrams(given_words, order));
  }
  return counts;
}

double chrf_of(std::span<const NgramCounts> counts) {
  constexpr double beta_squared = 4;
  double precision = 0;
  double recall = 0;
  double orders = 0;
  for (const NgramCounts& order : counts) {
    if (order.got <= 0 || order.expected <= 0) continue;
    precision += order.both / order.got;
    recall += order.both / order.expected;
    ++orders;
  }
  if (orders == 0 || precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return (1 + beta_squared) * precision * recall / (beta_squared * precision + recall);
}

double rouge_l(std::string_view expected, std::string_view got) {
  const std::vector<std::string> wanted = plain_words(expected);
  const std::vector<std::string> given = plain_words(got);
  if (wanted.empty() || given.empty()) return 0;
  const auto common = static_cast<double>(longest_common(wanted, given));
  return 2 * common / static_cast<double>(wanted.size() + given.size());
}

}  // namespace hone
