#pragma once
// UTF-8, one character at a time. Text inside the tokenizer is always valid: repaired() sees to it
// where it comes in.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::tokenize {

// The length of the character that begins with this byte. REQUIRES: it begins one.
inline std::size_t length_from(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

struct Character {
  char32_t code = 0;
  std::uint32_t length = 0;
};

// REQUIRES: valid UTF-8 and at < text.size(), at the beginning of a character.
inline Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {((first & 0x1FU) << 6U) | (byte(1) & 0x3FU), 2};
  if (first < 0xF0) {
    return {((first & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU), 3};
  }
  return {((first & 0x07U) << 18U) | ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) |
              (byte(3) & 0x3FU),
          4};
}

// The character that ends before `end`. REQUIRES: end > 0, at the end of a character.
inline Character character_before(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && is_continuation(text[at])) --at;
  return character_at(text, at);
}

inline std::size_t append(std::string& text, char32_t c) {
  if (c < 0x80) {
    text.push_back(static_cast<char>(c));
    return 1;
  }
  if (c < 0x800) {
    text.push_back(static_cast<char>(0xC0U | (c >> 6U)));
    text.push_back(static_cast<char>(0x80U | (c & 0x3FU)));
    return 2;
  }
  if (c < 0x10000) {
    text.push_back(static_cast<char>(0xE0U | (c >> 12U)));
    text.push_back(static_cast<char>(0x80U | ((c >> 6U) & 0x3FU)));
    text.push_back(static_cast<char>(0x80U | (c & 0x3FU)));
    return 3;
  }
  text.push_back(static_cast<char>(0xF0U | (c >> 18U)));
  text.push_back(static_cast<char>(0x80U | ((c >> 12U) & 0x3FU)));
  text.push_back(static_cast<char>(0x80U | ((c >> 6U) & 0x3FU)));
  text.push_back(static_cast<char>(0x80U | (c & 0x3FU)));
  return 4;
}

std::size_t count_characters(std::string_view text);

// How many bytes from the beginning are valid UTF-8.
std::size_t valid_prefix(std::string_view bytes);

// Each part that no character could follow becomes one U+FFFD, as browsers and Rust have it.
// `places`, where it is asked for, tells for each byte of the answer (and its end) where it comes
// from.
std::string repaired(std::string_view bytes, std::vector<std::uint32_t>* places = nullptr);

inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

}  // namespace hone::tokenize
