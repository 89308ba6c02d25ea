#include "base/one_line.h"

#include <vector>

#include "base/system_files.h"
#include "base/text.h"

namespace hone {

std::string one_line(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n'))
    if (const std::string_view kept = trimmed(line); !kept.empty()) lines.emplace_back(kept);
  return join(lines, "; ");
}

}  // namespace hone
