#include "flow/token_ids.h"

#include <algorithm>
#include <charconv>

#include "base/misuse.h"
#include "base/text.h"

namespace hone {

Result<std::vector<std::uint32_t>> read_token_ids(std::string_view text, std::string_view option) {
  std::vector<std::uint32_t> ids;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(", \t\n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    std::uint32_t id = 0;
    const auto [rest, problem] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (problem != std::errc() || rest != word.data() + word.size())
      return misuse("'" + printable(word) + "' is no id of a token",
                    std::string(option) + " 101,7592,102");
    ids.push_back(id);
  }
  return ids;
}

}  // namespace hone
