#pragma once
// What says how likely each token is after those before it: a network (generate/network.h), or a
// table in a test.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace hone {

// Of each row, the scores of its next token.
struct Scores {
  std::vector<float> values{};
  std::size_t vocabulary = 0;
  std::span<float> row(std::size_t at) {
    return std::span(values).subspan(at * vocabulary, vocabulary);
  }
};

// Rows of one length. What is no token stands on the left, and has a 0 in `mask`.
struct TokenRows {
  std::size_t rows = 0;
  std::size_t length = 0;
  std::vector<std::int64_t> ids{};
  std::vector<std::int64_t> mask{};
};

class Scorer {
 public:
  Scorer() = default;
  Scorer(const Scorer&) = delete;
  Scorer& operator=(const Scorer&) = delete;
  virtual ~Scorer() = default;

  // Forgets all and reads these. What is returned lives until the next call.
  virtual Result<Scores*> start(const TokenRows& prompt) = 0;
  // One more token of each row.
  virtual Result<Scores*> go_on(std::span<const std::int64_t> tokens) = 0;
  // From now on its rows are these of the ones before. Another number of rows is taken after
  // start() alone, of a single row; later they all have to be of one text.
  virtual Status take_rows(std::span<const std::size_t> rows) = 0;
};

}  // namespace hone
