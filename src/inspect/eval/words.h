#pragma once
// English words that every Debian system has: those of the licenses in /usr/share/common-licenses.

#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"

namespace hone {

// In the order of the files' names and of the texts, repetitions included, so that frequent words
// stay frequent. Only words of 2 to 14 letters, with nothing before or behind.
Result<std::vector<std::string>> read_words(const Path& folder = "/usr/share/common-licenses");

// `least` to `most` words that follow each other, with a space between them.
std::string pick_words(const std::vector<std::string>& words, std::size_t least, std::size_t most,
                       Random& random);

}  // namespace hone
