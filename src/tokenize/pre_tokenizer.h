#pragma once
// What splits a normalized text into words: one class for each kind that tokenizer.json knows.

#include <memory>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tokenize/scratch.h"

namespace hone::tokenize {

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  // Splits scratch.splits further; those that are added tokens stay.
  virtual Status apply(Scratch& scratch) const = 0;
  // Whether it needs to know where its text comes from, even where nobody asked for offsets.
  virtual bool needs_origins() const { return false; }
};

struct PreTokenizers {
  std::vector<std::shared_ptr<const PreTokenizer>> steps{};
  // The last step was to write bytes in GPT-2's alphabet. It is left to the model (BpeOptions::
  // is_raw), which knows bytes as they are.
  bool ends_in_bytes = false;
};

// null gives no steps. `may_end_in_bytes`: whether the model takes words as bytes.
Result<PreTokenizers> read_pre_tokenizers(const Json& json, bool may_end_in_bytes);

enum class PrependScheme { always, first, never };
std::shared_ptr<const PreTokenizer> make_metaspace(char32_t replacement, PrependScheme scheme,
                                                   bool splits);
std::shared_ptr<const PreTokenizer> make_bert_pre_tokenizer();
// The bytes themselves are left to the model.
Result<std::shared_ptr<const PreTokenizer>> make_byte_level(bool adds_space, bool uses_regex,
                                                            bool writes_bytes);

}  // namespace hone::tokenize
