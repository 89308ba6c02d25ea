#pragma once
// GPT-2's alphabet: a printable character for each of the 256 bytes.

#include <optional>
#include <string>
#include <string_view>

namespace hone::tokenize {

char32_t character_of_byte(unsigned char byte);
// -1: the character stands for none.
int byte_of_character(char32_t c);
// The bytes a text of that alphabet stands for; none where it holds another character.
std::optional<std::string> bytes_of(std::string_view text);

}  // namespace hone::tokenize
