// The "model" of tokenizer.json.

#include <optional>

#include "base/text.h"
#include "tokenize/fields.h"
#include "tokenize/model.h"

namespace hone::tokenize {
namespace {

using Made = Result<std::unique_ptr<Model>>;

Result<Vocabulary> read_vocabulary(const Json& json) {
  HONE_TRY(const Json* tokens, member(json, "vocab"));
  if (tokens->as_object() == nullptr) return bad_field("vocab", tokens, "an object");
  Vocabulary vocabulary;
  for (const auto& [token, id] : *tokens->as_object()) {
    const auto number = id.to_uint();
    if (!number) return bad_field("vocab", &id, "an id for '" + printable(token) + "'");
    HONE_TRY_DO(vocabulary.add(token, *number));
  }
  return vocabulary;
}

// "a b" or ["a", "b"].
std::optional<MergePair> read_merge(const Json& json) {
  if (const std::string* text = json.as_string()) {
    const std::size_t space = text->find(' ');
    if (space == std::string::npos || text->find(' ', space + 1) != std::string::npos) {
      return std::nullopt;
    }
    return MergePair{text->substr(0, space), text->substr(space + 1)};
  }
  const Json::Array* pair = json.as_array();
  if (pair == nullptr || pair->size() != 2) return std::nullopt;
  const std::string* first = (*pair)[0].as_string();
  const std::string* second = (*pair)[1].as_string();
  if (first == nullptr || second == nullptr) return std::nullopt;
  return MergePair{*first, *second};
}

Result<std::vector<MergePair>> read_merges(const Json& json) {
  HONE_TRY(const Json::Array* list, array_field(json, "merges"));
  std::vector<MergePair> merges;
  merges.reserve(list->size());
  for (const Json& one : *list) {
    if (const std::string* text = one.as_string(); text && text->starts_with("#version")) continue;
    auto merge = read_merge(one);
    if (!merge) {
      return fail(Fault::bad_input, "cannot read the tokenizer",
                  "merge " + std::to_string(merges.size() + 1) + " is no pair of tokens");
    }
    merges.push_back(std::move(*merge));
  }
  return merges;
}

Status refuse_dropout(const Json& json) {
  const Json* dropout = optional_member(json, "dropout");
  if (dropout == nullptr) return done();
  const auto share = dropout->to_double();
  if (share && *share == 0.0) return done();
  return fail(Fault::unsupported, "cannot use the tokenizer",
              "its model drops merges at random (dropout), so that no text has one answer",
              "\"dropout\": null in its model, which is how it is meant to be used");
}

Made read_bpe(const Json& json, bool is_raw) {
  HONE_TRY_DO(refuse_dropout(json));
  BpeOptions options;
  options.has_unknown = optional_member(json, "unk_token") != nullptr;
  HONE_TRY(options.unknown, string_or(json, "unk_token", ""));
  HONE_TRY(options.prefix, string_or(json, "continuing_subword_prefix", ""));
  HONE_TRY(options.suffix, string_or(json, "end_of_word_suffix", ""));
  HONE_TRY(options.fuses_unknown, bool_or(json, "fuse_unk", false));
  HONE_TRY(options.byte_fallback, bool_or(json, "byte_fallback", false));
  HONE_TRY(options.ignores_merges, bool_or(json, "ignore_merges", false));
  options.is_raw = is_raw;
  HONE_TRY(Vocabulary vocabulary, read_vocabulary(json));
  HONE_TRY(const std::vector<MergePair> merges, read_merges(json));
  return make_bpe(std::move(vocabulary), merges, options);
}

Made read_word_piece(const Json& json) {
  HONE_TRY(std::string unknown, string_field(json, "unk_token"));
  HONE_TRY(const std::string prefix, string_field(json, "continuing_subword_prefix"));
  HONE_TRY(const std::uint64_t longest, count_field(json, "max_input_chars_per_word"));
  HONE_TRY(Vocabulary vocabulary, read_vocabulary(json));
  return make_word_piece(std::move(vocabulary), std::move(unknown), prefix, longest);
}

Made read_word_level(const Json& json) {
  HONE_TRY(std::string unknown, string_field(json, "unk_token"));
  HONE_TRY(Vocabulary vocabulary, read_vocabulary(json));
  return make_word_level(std::move(vocabulary), std::move(unknown));
}

Made read_unigram(const Json& json) {
  HONE_TRY(const Json::Array* list, array_field(json, "vocab"));
  std::vector<ScoredToken> tokens;
  tokens.reserve(list->size());
  for (const Json& one : *list) {
    const Json::Array* pair = one.as_array();
    if (pair == nullptr || pair->size() != 2)
      return bad_field("vocab", &one, "a token and a score");
    const std::string* token = (*pair)[0].as_string();
    const auto score = (*pair)[1].to_double();
    if (token == nullptr || !score) return bad_field("vocab", &one, "a token and a score");
    tokens.push_back({*token, *score});
  }
  std::optional<std::size_t> unknown;
  if (optional_member(json, "unk_id") != nullptr) {
    HONE_TRY(unknown, count_field(json, "unk_id"));
  }
  HONE_TRY(const bool falls_back, bool_or(json, "byte_fallback", false));
  return make_unigram(tokens, unknown, falls_back);
}

// Files of before the models had a type.
std::string guessed_type(const Json& json) {
  if (json.find("merges") != nullptr) return "BPE";
  if (json.find("continuing_subword_prefix") != nullptr) return "WordPiece";
  const Json* vocab = json.find("vocab");
  return vocab != nullptr && vocab->as_array() != nullptr ? "Unigram" : "WordLevel";
}

std::string type_of_model(const Json& json) {
  const Json* type = json.find("type");
  return type != nullptr && type->as_string() != nullptr ? *type->as_string() : guessed_type(json);
}

}  // namespace

bool may_be_raw(const Json& json) {
  const auto is_empty = [&](std::string_view name) {
    const Json* found = optional_member(json, name);
    return found == nullptr || (found->as_string() != nullptr && found->as_string()->empty());
  };
  const auto falls_back = bool_or(json, "byte_fallback", false);
  return type_of_model(json) == "BPE" && is_empty("continuing_subword_prefix") &&
         is_empty("end_of_word_suffix") && falls_back && !*falls_back;
}

Result<std::unique_ptr<Model>> read_model(const Json& json, bool is_raw) {
  if (json.as_object() == nullptr) return bad_field("model", &json, "an object");
  const std::string type = type_of_model(json);
  if (type == "BPE") return read_bpe(json, is_raw);
  if (type == "WordPiece") return read_word_piece(json);
  if (type == "WordLevel") return read_word_level(json);
  if (type == "Unigram") return read_unigram(json);
  return unknown_type("model", type);
}

}  // namespace hone::tokenize
