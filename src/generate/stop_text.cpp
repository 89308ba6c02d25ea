#include "generate/stop_text.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"

namespace hone {

Result<StopText> StopText::open(std::vector<std::string> stops) {
  for (const std::string& stop : stops) {
    if (stop.empty()) return misuse("an empty text would end all of them at once", "--stop TEXT");
    if (to_utf8(stop) != stop)
      return misuse("'" + printable(stop) + "' is no UTF-8, and no text ends in half a character",
                    "--stop with whole characters");
  }
  return StopText(std::move(stops));
}

std::string StopText::add(std::string_view piece) {
  if (is_seen_) return {};
  waiting_ += piece;
  std::size_t first = std::string::npos;
  for (const std::string& stop : stops_) first = std::min(first, waiting_.find(stop));
  is_seen_ = first != std::string::npos;
  const std::size_t shown = is_seen_ ? first : waiting_.size() - held_back();
  std::string text = waiting_.substr(0, shown);
  waiting_.erase(0, is_seen_ ? waiting_.size() : shown);
  return text;
}

std::string StopText::finish() { return std::exchange(waiting_, {}); }

// How much of the end is the beginning of a stop text.
std::size_t StopText::held_back() const {
  std::size_t most = 0;
  for (const std::string& stop : stops_) {
    std::size_t length = std::min(stop.size() - 1, waiting_.size());
    while (length > most && !std::string_view(waiting_).ends_with(stop.substr(0, length))) --length;
    most = std::max(most, length);
  }
  return most;
}

}  // namespace hone
