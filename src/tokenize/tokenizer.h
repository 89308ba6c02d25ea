#pragma once
// Text to the numbers a model was trained on, and back: what tokenizer.json says, to the letter, or
// vocab.txt, vocab.json with merges.txt, or a SentencePiece model where there is no tokenizer.json.
//
//   HONE_TRY(const Tokenizer tokenizer, load_tokenizer("model-folder"));
//   HONE_TRY(const Encoding encoding, tokenizer.encode("Hello there"));
//   use(encoding.ids, encoding.attention_mask);
//   const std::string text = tokenizer.decode(encoding.ids);

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "tokenize/encoding.h"

namespace hone::tokenize {

enum class Offsets { none, characters, bytes, both };

enum class Side { left, right };

enum class TruncationStrategy { longest_first, only_first, only_second };

struct Truncation {
  std::size_t max_length = 512;
  TruncationStrategy strategy = TruncationStrategy::longest_first;
  std::size_t stride = 0;  // tokens that two windows share
  Side side = Side::right;
};

struct Padding {
  std::optional<std::size_t> length{};  // none: the longest of a batch
  std::size_t multiple_of = 0;          // 0: any length
  std::uint32_t id = 0;
  std::uint32_t type_id = 0;
  std::string token = "[PAD]";
  Side side = Side::right;
};

struct EncodeOptions {
  // What the post-processor adds: [CLS], <s> and the like.
  bool add_special_tokens = true;
  Offsets offsets = Offsets::characters;
  // Where the text holds the very words of a special token ("<s>"), it is read as that token. Text
  // of strangers wants false: it is then text like any other.
  bool read_special_tokens = true;
};

struct AddedToken {
  std::uint32_t id = 0;
  std::string content{};
  bool single_word = false;
  bool lstrip = false;
  bool rstrip = false;
  bool normalized = true;
  bool special = false;
};

struct Parts;  // of which a tokenizer consists; tokenize/parts.h

// Cheap to copy; copies share what they stand on. All of it may be used by several threads at once.
class Tokenizer {
 public:
  // REQUIRES nothing of the text: tokenizer.json as it was published, or by an attacker.
  static Result<Tokenizer> parse(std::string_view json);
  explicit Tokenizer(std::shared_ptr<const Parts> parts);

  // Bytes that are no UTF-8 are read as U+FFFD, one for each part that no character could follow
  // (as browsers and Rust read them); offsets are into what was given. Truncates and pads as the
  // file says, unless with_truncation or with_padding said otherwise.
  Result<Encoding> encode(std::string_view text, const EncodeOptions& options = {}) const;
  Result<Encoding> encode_pair(std::string_view first, std::string_view second,
                               const EncodeOptions& options = {}) const;
  // Words that somebody else split, as token classification has them: `words` of the answer count
  // them, and offsets are into each word.
  Result<Encoding> encode_words(std::span<const std::string> words,
                                const EncodeOptions& options = {}) const;
  // Each text encoded, and all padded to one length where the tokenizer pads.
  Result<std::vector<Encoding>> encode_batch(std::span<const std::string> texts,
                                             const EncodeOptions& options = {}) const;

  // Ids that the vocabulary does not have are left out.
  std::string decode(std::span<const std::uint32_t> ids, bool skip_special_tokens = true) const;

  // The same tokenizer with other limits than its file has; none takes them away.
  Result<Tokenizer> with_truncation(std::optional<Truncation> truncation) const;
  Tokenizer with_padding(std::optional<Padding> padding) const;
  const std::optional<Truncation>& truncation() const;
  const std::optional<Padding>& padding() const;

  // The content of a token as the vocabulary has it, with "##", "▁" or "Ġ".
  std::optional<std::string> token(std::uint32_t id) const;
  std::optional<std::uint32_t> id(std::string_view token) const;
  bool is_special(std::uint32_t id) const;
  // One more than the largest id: what the last axis of logits must have at least.
  std::size_t vocabulary_size() const;
  std::span<const AddedToken> added_tokens() const;
  // How many tokens the post-processor adds.
  std::size_t added_by_template(bool pair) const;
  // "WordPiece", "BPE", "Unigram" or "WordLevel".
  std::string_view kind() const;
  // SHA-256 of the files it was made of: what a result names it by.
  const std::string& identity() const;
  // Tokens by their role ("mask_token", "pad_token", "unk_token", "cls_token", "sep_token",
  // "bos_token", "eos_token"), as tokenizer_config.json or special_tokens_map.json beside the file
  // name them, or else as the tokenizer's usual words ([MASK], <mask>) show.
  std::optional<std::uint32_t> role(std::string_view name) const;

  const Parts& parts() const { return *parts_; }

 private:
  std::shared_ptr<const Parts> parts_;
};

// A folder of a checkpoint, a model file (what lies beside it), or one of the files themselves:
// tokenizer.json, vocab.txt, vocab.json, spiece.model, tokenizer.model.
Result<Tokenizer> load_tokenizer(const Path& path);

// Text that grows with each id, as a model generates them. Never gives half a character: bytes of
// one that is not complete are held back until the next id.
class DecodeStream {
 public:
  explicit DecodeStream(Tokenizer tokenizer, bool skip_special_tokens = true)
      : tokenizer_(std::move(tokenizer)), skip_special_tokens_(skip_special_tokens) {}
  // What this id adds to the text; empty where it takes another id to say.
  std::string step(std::uint32_t id);
  // What is left when there are no more ids: U+FFFD for bytes that nothing completed.
  std::string finish();

 private:
  Tokenizer tokenizer_;
  bool skip_special_tokens_;
  std::vector<std::uint32_t> ids_{};
  std::string prefix_{};
  std::size_t prefix_ids_ = 0;
};

}  // namespace hone::tokenize
