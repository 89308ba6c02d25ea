#include "tokenize/grapheme.h"

#include "tokenize/unicode.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

// UGraphemeClusterBreak, as ICU numbers it.
enum Break : std::uint8_t {
  other = 0,
  control = 1,
  carriage_return = 2,
  extend = 3,
  leading = 4,  // of Hangul, as the four below
  line_feed = 5,
  vowel_syllable = 6,
  full_syllable = 7,
  trailing = 8,
  vowel = 9,
  spacing_mark = 10,
  prepend = 11,
  regional = 12,
  joiner = 17
};

bool is_control(std::uint8_t kind) {
  return kind == control || kind == carriage_return || kind == line_feed;
}

bool is_hangul_pair(std::uint8_t before, std::uint8_t after) {
  if (before == leading) {
    return after == leading || after == vowel || after == vowel_syllable || after == full_syllable;
  }
  if (before == vowel_syllable || before == vowel) return after == vowel || after == trailing;
  return (before == full_syllable || before == trailing) && after == trailing;
}

class Cluster {
 public:
  explicit Cluster(char32_t first) : last_(kind_of(first)) {
    note_pictograph(first);
    regionals_ = last_ == regional ? 1 : 0;
  }

  // Whether the next character belongs to it (rules GB3 to GB13 of UAX 29).
  bool takes(char32_t c) {
    const std::uint8_t kind = kind_of(c);
    if (!joins(c, kind)) return false;
    regionals_ = kind == regional ? regionals_ + 1 : 0;
    joined_pictograph_ = kind == joiner && is_pictograph_;
    if (kind != extend && kind != joiner) note_pictograph(c);
    last_ = kind;
    return true;
  }

 private:
  static std::uint8_t kind_of(char32_t c) { return record_of(c).grapheme; }
  void note_pictograph(char32_t c) { is_pictograph_ = has_flag(c, character_flag::pictograph); }
  bool joins(char32_t c, std::uint8_t kind) const {
    if (last_ == carriage_return && kind == line_feed) return true;
    if (is_control(last_) || is_control(kind)) return false;
    if (is_hangul_pair(last_, kind)) return true;
    if (kind == extend || kind == joiner || kind == spacing_mark || last_ == prepend) return true;
    if (joined_pictograph_ && has_flag(c, character_flag::pictograph)) return true;
    return last_ == regional && kind == regional && regionals_ % 2 == 1;
  }

  std::uint8_t last_;
  int regionals_ = 0;
  bool is_pictograph_ = false;      // a pictograph and what extends it
  bool joined_pictograph_ = false;  // the same, and a joiner
};

}  // namespace

std::size_t grapheme_length(std::string_view text) {
  const Character first = character_at(text, 0);
  Cluster cluster(first.code);
  std::size_t at = first.length;
  while (at < text.size()) {
    const Character c = character_at(text, at);
    if (!cluster.takes(c.code)) break;
    at += c.length;
  }
  return at;
}

}  // namespace hone::tokenize
