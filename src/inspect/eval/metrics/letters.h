#pragma once
// Text as metrics count it: code points, words, lower case. The same as Python's str has them,
// which the published metrics are written in.

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// Bytes that are no UTF-8 are U+FFFD.
std::u32string code_points(std::string_view text);
std::string utf8_of(std::u32string_view points);

// What Python's str.split() splits at.
bool is_space(char32_t point);
std::vector<std::u32string> words_in(std::u32string_view text);

// Letters, digits and numbers of any script, and the underscore: \w.
bool is_word_part(char32_t point);

// Lower case of the whole string: a final sigma is one, and İ is two code points.
std::u32string lowercase_of(std::string_view text);

}  // namespace hone
