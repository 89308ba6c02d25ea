#include "inspect/eval/metrics/edits.h"

#include <algorithm>
#include <numeric>

#include "inspect/eval/metrics/letters.h"

namespace hone {
namespace {

// Two rows of the table of Wagner and Fischer are enough for the count.
template <class Items>
std::size_t edits_between(const Items& from, const Items& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::u32string trimmed_points(std::string_view text) {
  const std::u32string points = code_points(text);
  const auto first = std::ranges::find_if_not(points, is_space);
  const auto last = std::find_if_not(points.rbegin(), points.rend(), is_space).base();
  return first < last ? std::u32string(first, last) : std::u32string();
}

bool parts_words(char32_t point) {
  if (is_space(point)) return true;
  if (point == U'\'') return false;
  if (point < 0x80) {
    const bool is_digit = point >= U'0' && point <= U'9';
    const bool is_letter = (point >= U'a' && point <= U'z') || (point >= U'A' && point <= U'Z');
    return !is_digit && !is_letter;
  }
  return std::u32string_view(U"“”‘–—…¿¡").find(point) != std::u32string_view::npos;
}

}  // namespace

EditCount word_edits(std::string_view expected, std::string_view got) {
  const auto wanted = words_in(code_points(expected));
  return {edits_between(wanted, words_in(code_points(got))), wanted.size()};
}

EditCount character_edits(std::string_view expected, std::string_view got) {
  const std::u32string wanted = trimmed_points(expected);
  return {edits_between(wanted, trimmed_points(got)), wanted.size()};
}

std::string spoken_form(std::string_view text) {
  std::u32string spoken;
  for (char32_t point : lowercase_of(text)) {
    if (point == U'’') point = U'\'';
    spoken += parts_words(point) ? U' ' : point;
  }
  std::string form;
  for (const std::u32string& word : words_in(spoken)) {
    if (!form.empty()) form += ' ';
    form += utf8_of(word);
  }
  return form;
}

}  // namespace hone
