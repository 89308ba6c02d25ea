#include "checkpoint/problems.h"

#include <algorithm>

#include "base/text.h"

namespace hone {

void Problems::add(std::string problem) {
  if (std::find(said_.begin(), said_.end(), problem) == said_.end()) {
    said_.push_back(std::move(problem));
  }
}

Failure Problems::failure(std::string what, std::string hint) const {
  constexpr std::size_t most = 12;
  std::vector<std::string> lines(
      said_.begin(), said_.begin() + static_cast<std::ptrdiff_t>(std::min(most, said_.size())));
  if (said_.size() > most) lines.push_back("and " + format_count(said_.size() - most) + " more");
  return fail(Fault::bad_input, std::move(what), join(lines, "\n"), std::move(hint));
}

}  // namespace hone
