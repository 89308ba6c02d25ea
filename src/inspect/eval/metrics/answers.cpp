#include "inspect/eval/metrics/answers.h"

#include <algorithm>
#include <map>
#include <vector>

#include "inspect/eval/metrics/letters.h"

namespace hone {
namespace {

constexpr std::u32string_view marks = U"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

bool is_article(std::u32string_view word) {
  return word == U"a" || word == U"an" || word == U"the";
}

// Each article becomes a space; what is beside it may be any symbol: the script's \b(a|an|the)\b.
std::u32string without_articles(const std::u32string& text) {
  std::u32string kept;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_part(text[end])) ++end;
    if (end == at) {
      kept += text[at++];
      continue;
    }
    const std::u32string_view word = std::u32string_view(text).substr(at, end - at);
    kept += is_article(word) ? std::u32string_view(U" ") : word;
    at = end;
  }
  return kept;
}

std::vector<std::u32string> answer_words(std::string_view answer) {
  std::u32string kept;
  for (const char32_t point : lowercase_of(answer))
    if (marks.find(point) == std::u32string_view::npos) kept += point;
  return words_in(without_articles(kept));
}

using Words = std::vector<std::u32string>;

double f1_of(const Words& expected, const Words& got) {
  if (expected.empty() || got.empty()) return expected.empty() && got.empty() ? 1 : 0;
  std::map<std::u32string, std::ptrdiff_t> left;
  for (const std::u32string& word : expected) ++left[word];
  double common = 0;
  for (const std::u32string& word : got) {
    const auto found = left.find(word);
    if (found == left.end() || found->second == 0) continue;
    --found->second;
    ++common;
  }
  return 2 * common / static_cast<double>(expected.size() + got.size());
}

}  // namespace

std::string plain_answer(std::string_view answer) {
  std::string plain;
  for (const std::u32string& word : answer_words(answer)) {
    if (!plain.empty()) plain += ' ';
    plain += utf8_of(word);
  }
  return plain;
}

AnswerScore score_answer(std::span<const std::string> right, std::string_view got) {
  const Words given = answer_words(got);
  AnswerScore best;
  const auto add = [&](std::string_view answer) {
    const Words wanted = answer_words(answer);
    best.exact = std::max(best.exact, wanted == given ? 1.0 : 0.0);
    best.f1 = std::max(best.f1, f1_of(wanted, given));
  };
  for (const std::string& answer : right) add(answer);
  if (right.empty()) add("");
  return best;
}

}  // namespace hone
