#pragma once
// Texts that end what is written, looked for in text that comes piece by piece.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone {

class StopText {
 public:
  // An empty text, or one that is no UTF-8, is refused: text never holds half a character.
  static Result<StopText> open(std::vector<std::string> stops);

  // What of the text may be shown by now: what could be the beginning of a stop text is held back.
  std::string add(std::string_view piece);
  // The rest, when there is no more. Nothing once a stop text was seen.
  std::string finish();
  bool is_seen() const { return is_seen_; }

 private:
  explicit StopText(std::vector<std::string> stops) : stops_(std::move(stops)) {}
  std::size_t held_back() const;

  std::vector<std::string> stops_;
  std::string waiting_{};
  bool is_seen_ = false;
};

}  // namespace hone
