#pragma once
// What is added around the tokens of a text or a pair, and how their offsets are trimmed.

#include <memory>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tokenize/encoding.h"

namespace hone::tokenize {

// One piece of a template: a text, or a token that stands for itself.
struct TemplatePiece {
  bool is_text = false;
  std::size_t text = 0;  // 0: the first, 1: the second
  std::vector<std::uint32_t> ids{};
  std::uint32_t type_id = 0;
};
using Template = std::vector<TemplatePiece>;

class PostProcessor {
 public:
  virtual ~PostProcessor() = default;
  virtual std::size_t added(bool is_pair) const = 0;
  // One encoding for each text, in; out: what is to be put together, in order.
  virtual Status apply(std::vector<Encoding>& encodings, bool adds_special) const = 0;
  // Whether it takes spaces out of offsets, for which it wants to know the spaces of tokens.
  virtual bool trims() const { return false; }
};

// null gives none.
Result<std::shared_ptr<const PostProcessor>> read_post_processor(const Json& json);
std::shared_ptr<const PostProcessor> make_template(Template single, Template pair);
// [CLS] A [SEP] and [CLS] A [SEP] B [SEP].
std::shared_ptr<const PostProcessor> make_bert_template(std::uint32_t first, std::uint32_t last);

// Puts `part` behind `whole`, and every window of the one behind every window of the other.
void append(Encoding& whole, const Encoding& part);

}  // namespace hone::tokenize
