#pragma once
// What happens to a text before it is split: one class for each kind that tokenizer.json knows.

#include <memory>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tokenize/aligned.h"
#include "tokenize/pattern.h"

namespace hone::tokenize {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual Status apply(Aligned& text) const = 0;
};

// {"Regex": ...} or {"String": ...}.
Result<Pattern> read_split_pattern(const Json& json);

// null gives none: the text stays as it is.
Result<std::shared_ptr<const Normalizer>> read_normalizer(const Json& json);

// One after the other.
std::shared_ptr<const Normalizer> sequence_of(
    std::vector<std::shared_ptr<const Normalizer>> normalizers);

// SentencePiece's rules: a compiled table from parts of text to what stands for them.
Result<std::shared_ptr<const Normalizer>> make_precompiled(std::string_view charsmap);
std::shared_ptr<const Normalizer> make_replace(std::string_view what, std::string_view by);
std::shared_ptr<const Normalizer> make_prepend(std::string_view text);
std::shared_ptr<const Normalizer> make_strip(bool left, bool right);

struct BertRules {
  bool cleans = true;
  bool separates_ideographs = true;
  bool strips_accents = true;
  bool lowercases = true;
};
std::shared_ptr<const Normalizer> make_bert_normalizer(const BertRules& rules);

}  // namespace hone::tokenize
