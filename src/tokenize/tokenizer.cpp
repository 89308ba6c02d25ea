#include "tokenize/tokenizer.h"

#include <algorithm>
#include <array>

#include "tokenize/parts.h"

namespace hone::tokenize {
namespace {

struct RoleWords {
  std::string_view role;
  std::array<std::string_view, 3> words;
};

// As published tokenizers call them.
constexpr std::array role_words{
    RoleWords{"mask_token", {"[MASK]", "<mask>", ""}},
    RoleWords{"pad_token", {"[PAD]", "<pad>", "<|endoftext|>"}},
    RoleWords{"unk_token", {"[UNK]", "<unk>", "<|endoftext|>"}},
    RoleWords{"cls_token", {"[CLS]", "<s>", ""}},
    RoleWords{"sep_token", {"[SEP]", "</s>", ""}},
    RoleWords{"bos_token", {"<s>", "<bos>", "<|endoftext|>"}},
    RoleWords{"eos_token", {"</s>", "<eos>", "<|endoftext|>"}},
};

}  // namespace

Tokenizer::Tokenizer(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Result<Encoding> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  std::vector<Encoding> encodings(1);
  HONE_TRY_DO(encode_text(*parts_, text, 0, options, encodings[0]));
  return post_process(*parts_, std::move(encodings), options);
}

Result<Encoding> Tokenizer::encode_pair(std::string_view first, std::string_view second,
                                        const EncodeOptions& options) const {
  std::vector<Encoding> encodings(2);
  HONE_TRY_DO(encode_text(*parts_, first, 0, options, encodings[0]));
  HONE_TRY_DO(encode_text(*parts_, second, 1, options, encodings[1]));
  return post_process(*parts_, std::move(encodings), options);
}

Result<Encoding> Tokenizer::encode_words(std::span<const std::string> words,
                                         const EncodeOptions& options) const {
  std::vector<Encoding> encodings(1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    Encoding one;
    HONE_TRY_DO(encode_text(*parts_, words[i], 0, options, one));
    std::fill(one.words.begin(), one.words.end(), static_cast<std::int32_t>(i));
    append(encodings[0], one);
  }
  return post_process(*parts_, std::move(encodings), options);
}

Result<std::vector<Encoding>> Tokenizer::encode_batch(std::span<const std::string> texts,
                                                      const EncodeOptions& options) const {
  std::vector<Encoding> encodings;
  encodings.reserve(texts.size());
  std::size_t longest = 0;
  for (const std::string& text : texts) {
    HONE_TRY(Encoding one, encode(text, options));
    longest = std::max(longest, one.size());
    encodings.push_back(std::move(one));
  }
  if (!parts_->padding) return encodings;
  const std::size_t length = padded_length(*parts_->padding, longest);
  for (Encoding& encoding : encodings) pad(encoding, length, *parts_->padding);
  return encodings;
}

std::string Tokenizer::decode(std::span<const std::uint32_t> ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  for (const std::uint32_t id : ids) {
    const std::string* added = parts_->added.text(id);
    const auto known =
        added ? std::optional<std::string_view>(*added) : parts_->model->vocabulary.token(id);
    if (!known || (skip_special_tokens && parts_->added.is_special(*known))) continue;
    tokens.emplace_back(*known);
  }
  if (tokens.empty()) return {};
  std::string text;
  if (parts_->decoder) {
    parts_->decoder->apply(tokens);
    for (const std::string& token : tokens) text += token;
    return text;
  }
  for (const std::string& token : tokens) {
    if (&token != &tokens.front()) text += ' ';
    text += token;
  }
  return text;
}

Result<Tokenizer> Tokenizer::with_truncation(std::optional<Truncation> truncation) const {
  if (truncation) {
    const std::size_t added = added_by_template(false);
    const std::size_t most = truncation->max_length > added ? truncation->max_length - added : 0;
    if (most < truncation->stride) {
      return fail(Fault::bad_input,
                  "cannot truncate to " + std::to_string(truncation->max_length) + " tokens",
                  "windows are to share " + std::to_string(truncation->stride) + ", and " +
                      std::to_string(added) + " are added to each",
                  "a smaller stride, or a larger limit");
    }
  }
  auto parts = std::make_shared<Parts>(*parts_);
  parts->truncation = truncation;
  return Tokenizer(std::move(parts));
}

Tokenizer Tokenizer::with_padding(std::optional<Padding> padding) const {
  auto parts = std::make_shared<Parts>(*parts_);
  parts->padding = std::move(padding);
  return Tokenizer(std::move(parts));
}

const std::optional<Truncation>& Tokenizer::truncation() const { return parts_->truncation; }
const std::optional<Padding>& Tokenizer::padding() const { return parts_->padding; }

std::optional<std::string> Tokenizer::token(std::uint32_t id) const {
  if (const AddedToken* added = parts_->added.by_id(id)) return added->content;
  const auto known = parts_->model->vocabulary.token(id);
  return known ? std::optional(std::string(*known)) : std::nullopt;
}

std::optional<std::uint32_t> Tokenizer::id(std::string_view token) const {
  std::uint32_t found = parts_->added.id(token);
  if (found == no_id) found = parts_->model->vocabulary.find(token);
  return found == no_id ? std::nullopt : std::optional(found);
}

bool Tokenizer::is_special(std::uint32_t id) const {
  const AddedToken* added = parts_->added.by_id(id);
  return added != nullptr && added->special;
}

std::size_t Tokenizer::vocabulary_size() const {
  std::size_t end = parts_->model->vocabulary.end_id();
  for (const AddedToken& token : parts_->added.all())
    end = std::max<std::size_t>(end, token.id + 1);
  return end;
}

std::span<const AddedToken> Tokenizer::added_tokens() const { return parts_->added.all(); }

std::size_t Tokenizer::added_by_template(bool pair) const {
  return parts_->post_processor ? parts_->post_processor->added(pair) : 0;
}

std::string_view Tokenizer::kind() const { return parts_->model->kind(); }

const std::string& Tokenizer::identity() const { return parts_->identity; }

std::optional<std::uint32_t> Tokenizer::role(std::string_view name) const {
  if (const auto known = parts_->roles.find(name); known != parts_->roles.end()) {
    return known->second;
  }
  for (const RoleWords& role : role_words) {
    if (role.role != name) continue;
    for (const std::string_view word : role.words) {
      if (word.empty()) continue;
      if (const auto found = id(word)) return found;
    }
  }
  return std::nullopt;
}

std::string DecodeStream::step(std::uint32_t id) {
  const auto is_whole = [](std::string_view text) { return !text.ends_with("\xEF\xBF\xBD"); };
  if (prefix_.empty() && !ids_.empty()) {
    std::string before = tokenizer_.decode(ids_, skip_special_tokens_);
    if (is_whole(before)) {
      prefix_ = std::move(before);
      prefix_ids_ = ids_.size();
    }
  }
  ids_.push_back(id);
  const std::string text = tokenizer_.decode(ids_, skip_special_tokens_);
  // Where a decoder looks back (a space that goes), what was given is not taken back.
  if (text.size() <= prefix_.size() || !is_whole(text) || !text.starts_with(prefix_)) return {};
  std::string added = text.substr(prefix_.size());
  const std::size_t kept = ids_.size() - prefix_ids_;
  ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(prefix_ids_));
  prefix_ = tokenizer_.decode(ids_, skip_special_tokens_);
  prefix_ids_ = kept;
  return added;
}

std::string DecodeStream::finish() {
  const std::string text = tokenizer_.decode(ids_, skip_special_tokens_);
  std::string rest = text.starts_with(prefix_) ? text.substr(prefix_.size()) : std::string();
  ids_.clear();
  prefix_.clear();
  prefix_ids_ = 0;
  return rest;
}

}  // namespace hone::tokenize
