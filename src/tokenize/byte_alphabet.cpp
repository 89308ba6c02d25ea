#include "tokenize/byte_alphabet.h"

#include <array>

#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

constexpr std::size_t alphabet_end = 0x144;

constexpr bool is_itself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Tables {
  std::array<char32_t, 256> characters{};
  std::array<std::int16_t, alphabet_end> bytes{};
};

constexpr Tables make_tables() {
  Tables tables;
  tables.bytes.fill(-1);
  char32_t next = 256;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t c = is_itself(byte) ? static_cast<char32_t>(byte) : next++;
    tables.characters[byte] = c;
    tables.bytes[c] = static_cast<std::int16_t>(byte);
  }
  return tables;
}

constexpr Tables tables_of_bytes = make_tables();

}  // namespace

char32_t character_of_byte(unsigned char byte) { return tables_of_bytes.characters[byte]; }

int byte_of_character(char32_t c) { return c < alphabet_end ? tables_of_bytes.bytes[c] : -1; }

std::optional<std::string> bytes_of(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    const int byte = byte_of_character(c.code);
    if (byte < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
    i += c.length;
  }
  return bytes;
}

}  // namespace hone::tokenize
