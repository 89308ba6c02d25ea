#pragma once
// Text that is derived from a table and may be long, in lines of a terminal.

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace hone::app {

// Broken at spaces; a word that is longer than a line stands alone.
inline std::vector<std::string> in_lines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split(text, ' ')) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (line.size() + 1 + word.size() <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace hone::app
