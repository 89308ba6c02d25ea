#pragma once
// What Unicode says of characters, and their normal forms. The tables are ICU's, written down when
// hone is built (generate_tables.cpp).

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tokenize/unicode_tables.h"

namespace hone::tokenize {

// General categories, numbered as the tables have them.
enum class Category : std::uint8_t {
  Cn,
  Lu,
  Ll,
  Lt,
  Lm,
  Lo,
  Mn,
  Me,
  Mc,
  Nd,
  Nl,
  No,
  Zs,
  Zl,
  Zp,
  Cc,
  Cf,
  Co,
  Cs,
  Pd,
  Ps,
  Pe,
  Pc,
  Po,
  Sm,
  Sc,
  Sk,
  So,
  Pi,
  Pf
};

constexpr std::uint32_t bit(Category category) {
  return std::uint32_t{1} << static_cast<unsigned>(category);
}

namespace category_set {
inline constexpr std::uint32_t letter = bit(Category::Lu) | bit(Category::Ll) | bit(Category::Lt) |
                                        bit(Category::Lm) | bit(Category::Lo);
inline constexpr std::uint32_t mark = bit(Category::Mn) | bit(Category::Mc) | bit(Category::Me);
inline constexpr std::uint32_t number = bit(Category::Nd) | bit(Category::Nl) | bit(Category::No);
inline constexpr std::uint32_t punctuation =
    bit(Category::Pd) | bit(Category::Ps) | bit(Category::Pe) | bit(Category::Pc) |
    bit(Category::Po) | bit(Category::Pi) | bit(Category::Pf);
inline constexpr std::uint32_t symbol =
    bit(Category::Sm) | bit(Category::Sc) | bit(Category::Sk) | bit(Category::So);
inline constexpr std::uint32_t separator =
    bit(Category::Zs) | bit(Category::Zl) | bit(Category::Zp);
inline constexpr std::uint32_t other = bit(Category::Cn) | bit(Category::Cc) | bit(Category::Cf) |
                                       bit(Category::Co) | bit(Category::Cs);
}  // namespace category_set

// REQUIRES: c < 0x110000.
inline const CharacterRecord& record_of(char32_t c) {
  return tables::records[tables::record_table[tables::block_table[c >> 7] * 128U + (c & 127U)]];
}
inline bool is_in(char32_t c, std::uint32_t categories) {
  return ((categories >> record_of(c).category) & 1U) != 0;
}
inline bool has_flag(char32_t c, std::uint16_t flags) { return (record_of(c).flags & flags) != 0; }
inline bool is_white_space(char32_t c) {
  if (c < 128) return c == ' ' || (c >= 9 && c <= 13);
  return has_flag(c, character_flag::white_space);
}
inline bool is_ascii_punctuation(char32_t c) {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
         (c >= 123 && c <= 126);
}
inline bool is_ascii_alphanumeric(char32_t c) {
  return (c >= '0' && c <= '9') || ((c | 32U) >= 'a' && (c | 32U) <= 'z');
}
// \w as UTS 18 has it.
bool is_word(char32_t c);

// What a character becomes in lower case: one character but for U+0130.
inline char32_t simple_lowercase(char32_t c) {
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + record_of(c).lower_delta);
}
std::span<const char32_t> long_lowercase(char32_t c);
char32_t fold(char32_t c);

// Of Unicode 9, which tokenizers were published with. Empty: decomposes into itself. Not for
// Hangul.
std::span<const char32_t> canonical_decomposition(char32_t c);
std::span<const char32_t> compatible_decomposition(char32_t c);
// 0: they do not compose.
char32_t compose(char32_t first, char32_t second);

// A script by its name or short name ("Han", "Hani").
std::optional<std::uint16_t> script_named(std::string_view name);

}  // namespace hone::tokenize
