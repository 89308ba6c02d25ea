// tokenizer.json, but for its model.

#include "base/hash.h"
#include "base/text.h"
#include "tokenize/fields.h"
#include "tokenize/parts.h"

namespace hone::tokenize {
namespace {

const Json& or_null(const Json& json, std::string_view name) {
  static const Json null;
  const Json* found = json.find(name);
  return found == nullptr ? null : *found;
}

Result<std::vector<AddedToken>> read_added(const Json& json) {
  std::vector<AddedToken> tokens;
  if (optional_member(json, "added_tokens") == nullptr) return tokens;
  HONE_TRY(const Json::Array* list, array_field(json, "added_tokens"));
  for (const Json& one : *list) {
    AddedToken token;
    HONE_TRY(token.content, string_field(one, "content"));
    HONE_TRY(token.single_word, bool_or(one, "single_word", false));
    HONE_TRY(token.lstrip, bool_or(one, "lstrip", false));
    HONE_TRY(token.rstrip, bool_or(one, "rstrip", false));
    HONE_TRY(token.special, bool_or(one, "special", false));
    HONE_TRY(token.normalized, bool_or(one, "normalized", !token.special));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

Result<Side> side_or_right(const Json& json) {
  HONE_TRY(const std::string name, string_or(json, "direction", "Right"));
  if (name == "Right") return Side::right;
  if (name == "Left") return Side::left;
  return unknown_type("direction", name);
}

Result<std::optional<Truncation>> read_truncation(const Json& json) {
  std::optional<Truncation> made;
  if (json.is_null()) return made;
  Truncation rules;
  HONE_TRY(rules.max_length, count_field(json, "max_length"));
  HONE_TRY(rules.stride, count_field(json, "stride"));
  HONE_TRY(rules.side, side_or_right(json));
  HONE_TRY(const std::string strategy, string_field(json, "strategy"));
  if (strategy == "LongestFirst") {
    rules.strategy = TruncationStrategy::longest_first;
  } else if (strategy == "OnlyFirst") {
    rules.strategy = TruncationStrategy::only_first;
  } else if (strategy == "OnlySecond") {
    rules.strategy = TruncationStrategy::only_second;
  } else {
    return unknown_type("truncation strategy", strategy);
  }
  made = rules;
  return made;
}

constexpr std::uint64_t longest_padding = 1U << 24U;

Status read_padded_length(const Json& json, Padding& padding) {
  HONE_TRY(const Json* strategy, member(json, "strategy"));
  const bool is_longest = strategy->as_string() && *strategy->as_string() == "BatchLongest";
  if (!is_longest) {
    HONE_TRY(padding.length, count_field(*strategy, "Fixed"));
  }
  HONE_TRY(padding.multiple_of, count_or(json, "pad_to_multiple_of", 0));
  if (padding.length.value_or(0) > longest_padding || padding.multiple_of > longest_padding) {
    return fail(Fault::unsupported, "cannot use the tokenizer",
                "it pads to more than 16,777,216 tokens");
  }
  return done();
}

Result<std::optional<Padding>> read_padding(const Json& json) {
  std::optional<Padding> made;
  if (json.is_null()) return made;
  Padding padding;
  HONE_TRY_DO(read_padded_length(json, padding));
  HONE_TRY(const std::uint64_t id, count_field(json, "pad_id"));
  HONE_TRY(const std::uint64_t type, count_field(json, "pad_type_id"));
  if (id > largest_id || type > largest_id) return bad_field("pad_id", nullptr, "a smaller number");
  padding.id = static_cast<std::uint32_t>(id);
  padding.type_id = static_cast<std::uint32_t>(type);
  HONE_TRY(padding.token, string_field(json, "pad_token"));
  HONE_TRY(padding.side, side_or_right(json));
  made = padding;
  return made;
}

Status check_version(const Json& json) {
  HONE_TRY(const std::string version, string_or(json, "version", "1.0"));
  if (version == "1.0") return done();
  return fail(Fault::unsupported, "cannot read the tokenizer",
              "it is of version '" + printable(version) + "', and hone knows 1.0");
}

}  // namespace

Result<std::shared_ptr<Parts>> read_parts(const Json& json) {
  if (json.as_object() == nullptr) return bad_field("tokenizer.json", &json, "an object");
  HONE_TRY_DO(check_version(json));
  HONE_TRY(const Json* model, member(json, "model"));
  auto parts = std::make_shared<Parts>();
  HONE_TRY(parts->normalizer, read_normalizer(or_null(json, "normalizer")));
  const bool may_end_in_bytes = model->as_object() != nullptr && may_be_raw(*model);
  HONE_TRY(parts->pre_tokenizers,
           read_pre_tokenizers(or_null(json, "pre_tokenizer"), may_end_in_bytes));
  HONE_TRY(parts->model, read_model(*model, parts->pre_tokenizers.ends_in_bytes));
  HONE_TRY(parts->post_processor, read_post_processor(or_null(json, "post_processor")));
  HONE_TRY(parts->decoder, read_decoder(or_null(json, "decoder")));
  HONE_TRY(parts->truncation, read_truncation(or_null(json, "truncation")));
  HONE_TRY(parts->padding, read_padding(or_null(json, "padding")));
  HONE_TRY(std::vector<AddedToken> added, read_added(json));
  HONE_TRY_DO(parts->added.add(std::move(added), *parts->model, parts->normalizer.get()));
  parts->finish();
  return parts;
}

Result<Tokenizer> Tokenizer::parse(std::string_view text) {
  HONE_TRY(const Json json, Json::parse(text));
  HONE_TRY(std::shared_ptr<Parts> parts, read_parts(json));
  parts->identity = sha256(text).hex();
  return Tokenizer(std::move(parts));
}

}  // namespace hone::tokenize
