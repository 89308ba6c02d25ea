#include "inspect/eval/metrics/letters.h"

#include "base/text.h"
#include "tokenize/unicode.h"

namespace hone {
namespace {

using namespace std::string_view_literals;
using tokenize::Category;

// What stands between letters without parting them: accents, apostrophes and dots.
bool is_passed_over(char32_t point) {
  constexpr std::uint32_t marks = bit(Category::Mn) | bit(Category::Me) | bit(Category::Cf) |
                                  bit(Category::Lm) | bit(Category::Sk);
  return tokenize::is_in(point, marks) || U"'.:·․‘’"sv.find(point) != std::u32string_view::npos;
}

bool has_case(char32_t point) {
  return tokenize::is_in(point, bit(Category::Lu) | bit(Category::Ll) | bit(Category::Lt));
}

// Σ at the end of a word.
bool is_final(const std::u32string& text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && is_passed_over(text[before - 1])) --before;
  if (before == 0 || !has_case(text[before - 1])) return false;
  std::size_t behind = at + 1;
  while (behind < text.size() && is_passed_over(text[behind])) ++behind;
  return behind == text.size() || !has_case(text[behind]);
}

}  // namespace

bool is_word_part(char32_t point) {
  return point == U'_' ||
         tokenize::is_in(point, tokenize::category_set::letter | tokenize::category_set::number);
}

std::u32string lowercase_of(std::string_view text) {
  const std::u32string points = code_points(text);
  std::u32string lower;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i] == U'Σ') {
      lower += is_final(points, i) ? U'ς' : U'σ';
    } else if (points[i] == U'İ') {
      lower += U"i\u0307";
    } else {
      lower += tokenize::simple_lowercase(points[i]);
    }
  }
  return lower;
}

std::u32string code_points(std::string_view text) {
  // What remains has no broken sequence: lengths and values need no check.
  const std::string valid = to_utf8(text);
  std::u32string points;
  points.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size();) {
    const auto first = static_cast<unsigned char>(valid[at]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t point = length == 1 ? first : first & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i)
      point = point << 6 | (static_cast<unsigned char>(valid[at + i]) & 0x3Fu);
    points.push_back(point);
    at += length;
  }
  return points;
}

std::string utf8_of(std::u32string_view points) {
  std::string text;
  const auto tail = [&](char32_t point, unsigned shift) {
    text += static_cast<char>(0x80 | ((point >> shift) & 0x3F));
  };
  for (const char32_t point : points) {
    if (point < 0x80) {
      text += static_cast<char>(point);
    } else if (point < 0x800) {
      text += static_cast<char>(0xC0 | point >> 6);
      tail(point, 0);
    } else if (point < 0x10000) {
      text += static_cast<char>(0xE0 | point >> 12);
      tail(point, 6);
      tail(point, 0);
    } else {
      text += static_cast<char>(0xF0 | point >> 18);
      tail(point, 12);
      tail(point, 6);
      tail(point, 0);
    }
  }
  return text;
}

bool is_space(char32_t point) {
  if (point >= 0x09 && point <= 0x0D) return true;
  if (point >= 0x1C && point <= 0x20) return true;
  if (point >= 0x2000 && point <= 0x200A) return true;
  return point == 0x85 || point == 0xA0 || point == 0x1680 || point == 0x2028 || point == 0x2029 ||
         point == 0x202F || point == 0x205F || point == 0x3000;
}

std::vector<std::u32string> words_in(std::u32string_view text) {
  std::vector<std::u32string> words;
  bool inside = false;
  for (const char32_t point : text) {
    if (is_space(point)) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += point;
  }
  return words;
}

}  // namespace hone
