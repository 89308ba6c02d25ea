#pragma once
// A text as a tokenizer sees it, or ids as text.

#include <optional>
#include <string>

#include "base/result.h"
#include "record/tokenize.h"

namespace hone {

struct TokenizeOrder {
  std::string tokenizer;  // a folder, a model, or a tokenizer's file
  std::optional<std::string> text{};
  std::string file{};  // whose text; empty: none
  std::optional<std::string> pair{};
  std::string decode{};  // ids, with spaces or commas between them
  bool without_special = false;
};

Result<TokenizeReport> tokenize_text(const TokenizeOrder& order);

}  // namespace hone
