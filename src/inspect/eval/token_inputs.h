#pragma once
// Tokens as inputs of a model: ids, masks, types and positions by the names that exporters give
// them, filled up where the model's length is fixed. Caches of a decoder are empty.

#include <algorithm>
#include <optional>

#include "inspect/eval/encoder.h"
#include "tokenize/tokenizer.h"

namespace hone {

class TokenInputs {
 public:
  // An error where the model has no tokenizer, or an input that tokens cannot fill.
  static Result<TokenInputs> open(const EncoderSettings& settings);

  // Truncates to the most that model, tokenizer and settings take.
  const tokenize::Tokenizer& tokenizer() const { return tokenizer_; }
  // Without a limit: what windows are cut from.
  Result<tokenize::Tokenizer> unlimited() const;
  // A whole text, or the last of two, in windows that share tokens; what is around it is in each.
  // The tokenizer's own windows may end where its limit does. An error where nothing fits beside
  // the rest.
  Result<std::vector<tokenize::Encoding>> windows_of(const tokenize::Encoding& whole) const;
  std::size_t most() const { return most_; }
  std::size_t shared() const { return std::min(stride_, most_ / 4); }

  Sample sample(const tokenize::Encoding& encoding) const;
  std::map<std::string, std::string> described() const;

 private:
  enum class Use { ids, mask, types, positions, cache, flag };
  struct Input {
    Port port;
    Use use = Use::ids;
  };

  explicit TokenInputs(tokenize::Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}
  static std::optional<Use> use_of(const Port& port, std::size_t inputs);

  tokenize::Tokenizer tokenizer_;
  std::vector<Input> inputs_;
  std::size_t most_ = 0;
  std::size_t stride_ = 0;
  std::size_t fixed_ = 0;  // the length that the model has; 0: any
};

// What a column of a row holds. Cells of a CSV file hold a list as JSON, or as words between
// spaces.
Result<std::string> text_in(const Json& row, std::string_view column);
Result<std::vector<std::string>> texts_in(const Json& row, std::string_view column);
Result<double> number_in(const Json& row, std::string_view column);

}  // namespace hone
