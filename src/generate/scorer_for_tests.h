#pragma once
// A network of a table: the scores of the next token by the tokens before it.

#include <functional>
#include <utility>
#include <vector>

#include "generate/scorer.h"

namespace hone {

class TableScorer : public Scorer {
 public:
  using Table = std::function<std::vector<float>(const std::vector<std::int64_t>& before)>;
  explicit TableScorer(Table table) : table_(std::move(table)) {}

  Result<Scores*> start(const TokenRows& prompt) override {
    rows_.clear();
    for (std::size_t row = 0; row < prompt.rows; ++row) {
      rows_.emplace_back();
      for (std::size_t i = row * prompt.length; i < (row + 1) * prompt.length; ++i)
        if (prompt.mask[i] == 1) rows_.back().push_back(prompt.ids[i]);
    }
    return score();
  }

  Result<Scores*> go_on(std::span<const std::int64_t> tokens) override {
    ++steps;
    for (std::size_t row = 0; row < rows_.size(); ++row) rows_[row].push_back(tokens[row]);
    return score();
  }

  Status take_rows(std::span<const std::size_t> rows) override {
    std::vector<std::vector<std::int64_t>> taken;
    for (const std::size_t row : rows) taken.push_back(rows_[row]);
    rows_ = std::move(taken);
    return done();
  }

  int steps = 0;

 private:
  Result<Scores*> score() {
    scores_.values.clear();
    for (const auto& row : rows_) {
      const std::vector<float> next = table_(row);
      scores_.vocabulary = next.size();
      scores_.values.insert(scores_.values.end(), next.begin(), next.end());
    }
    return &scores_;
  }

  Table table_;
  std::vector<std::vector<std::int64_t>> rows_;
  Scores scores_;
};

// Says the number after the last one; 0 after the largest.
inline std::vector<float> counts_up(const std::vector<std::int64_t>& before) {
  std::vector<float> scores(10, 0);
  scores[static_cast<std::size_t>((before.back() + 1) % 10)] = 1;
  return scores;
}

}  // namespace hone
