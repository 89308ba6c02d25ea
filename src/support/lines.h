#pragma once
// The lines of a review, one for each thing that was looked at.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "record/review.h"

namespace hone {

// What could not be done, and what the layer below said of it.
inline std::string what_and_why(const Error& error) {
  return error.cause.empty() ? error.what : error.what + ": " + error.cause;
}

class Lines {
 public:
  // Adds a line: it holds, or it has that verdict.
  void require(std::string check, bool holds, LineVerdict otherwise, std::string citation,
               std::string what) {
    lines_.push_back({std::move(check), holds ? LineVerdict::holds : otherwise, std::move(citation),
                      holds ? std::string() : std::move(what)});
  }
  void add(std::vector<ReviewLine> more) {
    for (ReviewLine& line : more) lines_.push_back(std::move(line));
  }
  std::vector<ReviewLine> take() { return std::move(lines_); }

 private:
  std::vector<ReviewLine> lines_;
};

}  // namespace hone
