#pragma once
// Rows of texts: what all tasks of them share is the way of a text to tokens, and what is told of
// it.

#include "inspect/eval/token_inputs.h"

namespace hone {

class TextEncoder : public Encoder {
 public:
  explicit TextEncoder(TokenInputs inputs) : inputs_(std::move(inputs)) {}

  std::map<std::string, std::string> described() const override { return inputs_.described(); }

 protected:
  const TokenInputs& inputs() const { return inputs_; }
  Result<tokenize::Encoding> tokens_of(const std::string& text) const {
    return inputs_.tokenizer().encode(text, {.offsets = tokenize::Offsets::none});
  }
  Result<tokenize::Encoding> tokens_in(const Json& row, std::string_view column) const {
    HONE_TRY(const std::string text, text_in(row, column));
    return tokens_of(text);
  }

 private:
  TokenInputs inputs_;
};

// One that needs nothing but tokens.
template <class Made>
Result<std::unique_ptr<Encoder>> open_text_encoder(const EncoderSettings& settings) {
  HONE_TRY(TokenInputs inputs, TokenInputs::open(settings));
  return std::unique_ptr<Encoder>(std::make_unique<Made>(std::move(inputs)));
}

}  // namespace hone
