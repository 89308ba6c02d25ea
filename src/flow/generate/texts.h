#pragma once
// Texts as they are written: tokens to characters, up to a text that ends them.

#include <functional>
#include <string_view>
#include <vector>

#include "flow/generate/writing_model.h"
#include "generate/choice.h"
#include "generate/stop_text.h"
#include "record/generation.h"

namespace hone {

class Texts {
 public:
  // Without a tokenizer there are only tokens, and no text can end them: a stop text is refused.
  static Result<Texts> open(SharedTokenizer tokenizer, const ChoiceRules& rules,
                            const std::vector<std::string>& stops, std::size_t rows);

  // What the token adds, as far as it may be shown.
  std::string add(std::size_t row, std::int64_t token);
  bool is_stopped(std::size_t row) const { return !rows_.empty() && rows_[row].stop.is_seen(); }
  // What is left to show; the whole text is written into `text`.
  std::string finish(std::size_t row, GeneratedText& text);

 private:
  struct Row {
    tokenize::DecodeStream stream;
    StopText stop;
    std::string text{};
  };
  explicit Texts(const ChoiceRules& rules) : rules_(&rules) {}

  const ChoiceRules* rules_;
  std::vector<Row> rows_;  // empty: there is no tokenizer
};

}  // namespace hone
