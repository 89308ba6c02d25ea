#pragma once
// Of what a tokenizer consists.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tokenize/added_tokens.h"
#include "tokenize/decoder.h"
#include "tokenize/model.h"
#include "tokenize/normalizer.h"
#include "tokenize/post_processor.h"
#include "tokenize/pre_tokenizer.h"
#include "tokenize/tokenizer.h"

namespace hone::tokenize {

// What threads that encode lend and give back.
class ScratchPool {
 public:
  std::unique_ptr<Scratch> lend();
  void give_back(std::unique_ptr<Scratch> scratch);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> idle_{};
};

struct Parts {
  std::shared_ptr<const Normalizer> normalizer{};
  PreTokenizers pre_tokenizers{};
  std::shared_ptr<const Model> model{};
  std::shared_ptr<const PostProcessor> post_processor{};
  std::shared_ptr<const Decoder> decoder{};
  AddedTokens added{};
  std::optional<Truncation> truncation{};
  std::optional<Padding> padding{};
  std::map<std::string, std::uint32_t, std::less<>> roles{};
  std::string identity{};
  // Spaces at the ends of each token of the model, where offsets are trimmed.
  std::vector<Span> margins{};
  std::shared_ptr<ScratchPool> pool = std::make_shared<ScratchPool>();

  bool trims() const { return post_processor && post_processor->trims(); }
  // Works out what follows from the rest. After the last change of it.
  void finish();
};

// Leading and trailing characters of a token that stand for spaces.
Span margin_of(std::string_view token);

// One text, without what is put around it. `type`: 0 for the first, 1 for the second.
Status encode_text(const Parts& parts, std::string_view text, std::uint32_t type,
                   const EncodeOptions& options, Encoding& encoding);
// Truncates, puts around and pads. `encodings`: one or two.
Result<Encoding> post_process(const Parts& parts, std::vector<Encoding> encodings,
                              const EncodeOptions& options);
void pad(Encoding& encoding, std::size_t length, const Padding& padding);
// The length that encodings of at most `longest` tokens are padded to.
std::size_t padded_length(const Padding& padding, std::size_t longest);
Status truncate(std::vector<Encoding>& encodings, const Truncation& truncation);

// The tokenizer of a parsed tokenizer.json.
Result<std::shared_ptr<Parts>> read_parts(const Json& json);

}  // namespace hone::tokenize
