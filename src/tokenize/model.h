#pragma once
// What makes tokens of a word: one of four kinds.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tokenize/scratch.h"
#include "tokenize/vocabulary.h"

namespace hone::tokenize {

class Model {
 public:
  virtual ~Model() = default;
  virtual std::string_view kind() const = 0;
  // Appends the tokens of a word. REQUIRES: the word is not empty.
  virtual Status tokenize(std::string_view word, Scratch& scratch,
                          std::vector<Token>& tokens) const = 0;
  // The length of the text's first part that may be tokenized by itself, with the same tokens as in
  // the whole; the whole length where none is.
  virtual std::size_t first_part(std::string_view text) const { return text.size(); }
  // How many tokens there are: the first id that added tokens may get.
  virtual std::size_t size() const { return vocabulary.size(); }

  Vocabulary vocabulary{};
};

struct BpeOptions {
  std::string unknown{};
  bool has_unknown = false;
  std::string prefix{};  // of what continues a word
  std::string suffix{};  // of what ends one
  bool fuses_unknown = false;
  bool byte_fallback = false;
  bool ignores_merges = false;
  // Words are bytes as they stand in the text; tokens are written with GPT-2's alphabet of bytes.
  bool is_raw = false;
};

using MergePair = std::pair<std::string, std::string>;

Result<std::unique_ptr<Model>> make_bpe(Vocabulary vocabulary, const std::vector<MergePair>& merges,
                                        const BpeOptions& options);
std::unique_ptr<Model> make_word_piece(Vocabulary vocabulary, std::string unknown,
                                       std::string_view prefix, std::size_t longest_word);
std::unique_ptr<Model> make_word_level(Vocabulary vocabulary, std::string unknown);

struct ScoredToken {
  std::string token{};
  double score = 0;
};
Result<std::unique_ptr<Model>> make_unigram(const std::vector<ScoredToken>& tokens,
                                            std::optional<std::size_t> unknown, bool byte_fallback);

// Whether it takes words as bytes that no pre-tokenizer wrote in GPT-2's alphabet.
bool may_be_raw(const Json& json);
// Of tokenizer.json.
Result<std::unique_ptr<Model>> read_model(const Json& json, bool is_raw);

// "<0x0A>"
std::string byte_token(unsigned char byte);

}  // namespace hone::tokenize
