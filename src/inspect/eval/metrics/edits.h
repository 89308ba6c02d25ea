#pragma once
// How many words or characters have to be changed, left out or put in to make one text of another:
// word and character error rates, as jiwer counts them.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

struct EditCount {
  std::size_t edits = 0;
  std::size_t length = 0;  // of what was expected
};

// Words are what white space separates. Two empty texts have no edits and no length.
EditCount word_edits(std::string_view expected, std::string_view got);
// Characters are code points; white space at the ends does not count.
EditCount character_edits(std::string_view expected, std::string_view got);

// What is compared of speech, for a model is not trained on every way to write a sentence: lower
// case, an apostrophe (’ is one) stays and every other punctuation mark and symbol of ASCII, with
// “”‘–—…¿¡, is a space, white space is one space between words. Numbers are left as they are.
std::string spoken_form(std::string_view text);

}  // namespace hone
