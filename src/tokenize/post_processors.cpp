#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "tokenize/fields.h"
#include "tokenize/post_processor.h"
#include "tokenize/vocabulary.h"

namespace hone::tokenize {
namespace {

constexpr int deepest = 16;

// A row for each added token; columns that the others do not have stay empty.
Encoding encoding_of(const TemplatePiece& piece, const Encoding& like) {
  Encoding made;
  const std::size_t count = piece.ids.size();
  made.ids = piece.ids;
  made.type_ids.assign(count, piece.type_id);
  made.attention_mask.assign(count, 1);
  made.special_tokens_mask.assign(count, 1);
  made.words.assign(count, no_word);
  made.sequences.assign(count, no_sequence);
  if (!like.characters.empty()) made.characters.assign(count, Span{});
  if (!like.bytes.empty()) made.bytes.assign(count, Span{});
  if (!like.margins.empty()) made.margins.assign(count, Span{});
  return made;
}

void set_types(Encoding& encoding, std::uint32_t type) {
  std::fill(encoding.type_ids.begin(), encoding.type_ids.end(), type);
}

class TemplateProcessor final : public PostProcessor {
 public:
  TemplateProcessor(Template single, Template pair)
      : single_(std::move(single)), pair_(std::move(pair)) {}

  std::size_t added(bool is_pair) const override {
    std::size_t count = 0;
    for (const TemplatePiece& piece : is_pair ? pair_ : single_) count += piece.ids.size();
    return count;
  }

  Status apply(std::vector<Encoding>& encodings, bool adds_special) const override {
    if (encodings.empty() || encodings.size() > 2) {
      return fail(Fault::unsupported, "cannot put a text into the tokenizer's template",
                  "another template was applied to it before", "a tokenizer with one template");
    }
    std::vector<Encoding> made;
    for (const TemplatePiece& piece : encodings.size() == 2 ? pair_ : single_) {
      if (!piece.is_text) {
        if (adds_special) made.push_back(encoding_of(piece, longest(encodings)));
        continue;
      }
      if (piece.text >= encodings.size()) {
        return fail(Fault::bad_input, "cannot put a text into the tokenizer's template",
                    "it wants a second text, and there is one");
      }
      Encoding& encoding = encodings[piece.text];
      set_types(encoding, piece.type_id);
      made.push_back(encoding);
    }
    encodings = std::move(made);
    return done();
  }

 private:
  // Where one text is empty, the other says which columns there are.
  static const Encoding& longest(const std::vector<Encoding>& encodings) {
    return *std::max_element(
        encodings.begin(), encodings.end(),
        [](const Encoding& a, const Encoding& b) { return a.size() < b.size(); });
  }
  Template single_;
  Template pair_;
};

// Spaces at the ends of tokens are not theirs, but for one that was put before the first.
void trim(Encoding& encoding, std::vector<Span>& offsets, bool adds_space) {
  for (std::size_t i = 0; i < offsets.size() && i < encoding.margins.size(); ++i) {
    Span& offset = offsets[i];
    Span margin = encoding.margins[i];
    if (margin.begin > 0) {
      const bool is_first = i == 0 || offset.begin == 0;
      if (is_first && adds_space && margin.begin == 1) margin.begin = 0;
      offset.begin = std::min(offset.begin + margin.begin, offset.end);
    }
    if (margin.end > 0 && offset.end >= margin.end) {
      offset.end = std::max(offset.end - margin.end, offset.begin);
    }
  }
}

void trim_all(Encoding& encoding, bool adds_space) {
  trim(encoding, encoding.characters, adds_space);
  trim(encoding, encoding.bytes, adds_space);
  for (Encoding& window : encoding.overflowing) trim_all(window, adds_space);
}

class ByteLevel final : public PostProcessor {
 public:
  ByteLevel(bool trims, bool adds_space) : trims_(trims), adds_space_(adds_space) {}
  std::size_t added(bool) const override { return 0; }
  Status apply(std::vector<Encoding>& encodings, bool) const override {
    if (!trims_) return done();
    for (Encoding& encoding : encodings) trim_all(encoding, adds_space_);
    return done();
  }
  bool trims() const override { return trims_; }

 private:
  bool trims_, adds_space_;
};

class Roberta final : public PostProcessor {
 public:
  Roberta(std::shared_ptr<const PostProcessor> around, bool trims, bool adds_space)
      : around_(std::move(around)), trim_(trims, adds_space) {}
  std::size_t added(bool is_pair) const override { return around_->added(is_pair); }
  Status apply(std::vector<Encoding>& encodings, bool adds_special) const override {
    HONE_TRY_DO(trim_.apply(encodings, adds_special));
    for (Encoding& encoding : encodings) {
      set_types(encoding, 0);
      // Windows lose theirs with what is put around them.
      for (Encoding& window : encoding.overflowing) {
        if (adds_special) set_types(window, 0);
      }
    }
    return adds_special ? around_->apply(encodings, true) : done();
  }
  bool trims() const override { return trim_.trims(); }

 private:
  std::shared_ptr<const PostProcessor> around_;
  ByteLevel trim_;
};

class Sequence final : public PostProcessor {
 public:
  explicit Sequence(std::vector<std::shared_ptr<const PostProcessor>> all) : all_(std::move(all)) {}
  std::size_t added(bool is_pair) const override {
    std::size_t sum = 0;
    for (const auto& one : all_) sum += one->added(is_pair);
    return sum;
  }
  Status apply(std::vector<Encoding>& encodings, bool adds_special) const override {
    for (const auto& one : all_) HONE_TRY_DO(one->apply(encodings, adds_special));
    return done();
  }
  bool trims() const override {
    return std::any_of(all_.begin(), all_.end(), [](const auto& one) { return one->trims(); });
  }

 private:
  std::vector<std::shared_ptr<const PostProcessor>> all_;
};

using Made = Result<std::shared_ptr<const PostProcessor>>;

TemplatePiece text_piece(std::size_t text, std::uint32_t type) {
  return {.is_text = true, .text = text, .type_id = type};
}
TemplatePiece token_piece(std::uint32_t id, std::uint32_t type) {
  return {.ids = {id}, .type_id = type};
}

Result<std::uint32_t> small_count(const Json& json, std::string_view name) {
  HONE_TRY(const std::uint64_t count, count_field(json, name));
  if (count > largest_id) return bad_field(name, json.find(name), "a smaller number");
  return static_cast<std::uint32_t>(count);
}

// ["[SEP]", 102]
Result<std::uint32_t> token_field(const Json& json, std::string_view name) {
  HONE_TRY(const Json::Array* pair, array_field(json, name));
  if (pair->size() == 2 && (*pair)[0].as_string() != nullptr) {
    if (const auto id = (*pair)[1].to_uint(); id && *id <= largest_id) {
      return static_cast<std::uint32_t>(*id);
    }
  }
  return bad_field(name, json.find(name), "a token and its id");
}

using SpecialIds = std::map<std::string, std::vector<std::uint32_t>, std::less<>>;

Result<SpecialIds> read_special_ids(const Json& json) {
  SpecialIds all;
  HONE_TRY(const Json* tokens, member(json, "special_tokens"));
  if (tokens->as_object() == nullptr) return bad_field("special_tokens", tokens, "an object");
  for (const auto& [name, token] : *tokens->as_object()) {
    HONE_TRY(const Json::Array* ids, array_field(token, "ids"));
    for (const Json& one : *ids) {
      const auto id = one.to_uint();
      if (!id || *id > largest_id) return bad_field("ids", &one, "ids of tokens");
      all[name].push_back(static_cast<std::uint32_t>(*id));
    }
  }
  return all;
}

Result<TemplatePiece> read_piece(const Json& json, const SpecialIds& specials) {
  if (const Json* text = optional_member(json, "Sequence")) {
    HONE_TRY(const std::string name, string_field(*text, "id"));
    HONE_TRY(const std::uint32_t type, small_count(*text, "type_id"));
    if (name != "A" && name != "B") return unknown_type("template's text", name);
    return text_piece(name == "A" ? 0 : 1, type);
  }
  HONE_TRY(const Json* token, member(json, "SpecialToken"));
  HONE_TRY(const std::string name, string_field(*token, "id"));
  HONE_TRY(const std::uint32_t type, small_count(*token, "type_id"));
  const auto known = specials.find(name);
  if (known == specials.end()) {
    return fail(Fault::bad_input, "cannot read the tokenizer",
                "its template uses '" + printable(name) + "', which special_tokens does not have");
  }
  return TemplatePiece{.ids = known->second, .type_id = type};
}

Result<Template> read_template(const Json& json, std::string_view name,
                               const SpecialIds& specials) {
  HONE_TRY(const Json::Array* pieces, array_field(json, name));
  Template made;
  for (const Json& one : *pieces) {
    HONE_TRY(TemplatePiece piece, read_piece(one, specials));
    made.push_back(std::move(piece));
  }
  return made;
}

Made read_templates(const Json& json) {
  HONE_TRY(const SpecialIds specials, read_special_ids(json));
  HONE_TRY(Template single, read_template(json, "single", specials));
  HONE_TRY(Template pair, read_template(json, "pair", specials));
  return make_template(std::move(single), std::move(pair));
}

Made read_bert(const Json& json) {
  HONE_TRY(const std::uint32_t first, token_field(json, "cls"));
  HONE_TRY(const std::uint32_t last, token_field(json, "sep"));
  return make_bert_template(first, last);
}

Made read_roberta(const Json& json) {
  HONE_TRY(const std::uint32_t first, token_field(json, "cls"));
  HONE_TRY(const std::uint32_t last, token_field(json, "sep"));
  HONE_TRY(const bool trims, bool_field(json, "trim_offsets"));
  HONE_TRY(const bool adds_space, bool_field(json, "add_prefix_space"));
  auto around = make_template({token_piece(first, 0), text_piece(0, 0), token_piece(last, 0)},
                              {token_piece(first, 0), text_piece(0, 0), token_piece(last, 0),
                               token_piece(last, 0), text_piece(1, 0), token_piece(last, 0)});
  return std::shared_ptr<const PostProcessor>(
      std::make_shared<Roberta>(std::move(around), trims, adds_space));
}

Made read_byte_level(const Json& json) {
  HONE_TRY(const bool trims, bool_field(json, "trim_offsets"));
  HONE_TRY(const bool adds_space, bool_field(json, "add_prefix_space"));
  return std::shared_ptr<const PostProcessor>(std::make_shared<ByteLevel>(trims, adds_space));
}

Made read(const Json& json, int depth) {
  HONE_TRY(const std::string type, type_of(json, "post_processor"));
  if (type == "TemplateProcessing") return read_templates(json);
  if (type == "BertProcessing") return read_bert(json);
  if (type == "RobertaProcessing") return read_roberta(json);
  if (type == "ByteLevel") return read_byte_level(json);
  if (type != "Sequence") return unknown_type("post-processor", type);
  if (depth > deepest) {
    return fail(Fault::unsupported, "cannot read the tokenizer",
                "its post-processors are more than 16 sequences deep");
  }
  HONE_TRY(const Json::Array* all, array_field(json, "processors"));
  std::vector<std::shared_ptr<const PostProcessor>> processors;
  for (const Json& one : *all) {
    HONE_TRY(auto processor, read(one, depth + 1));
    processors.push_back(std::move(processor));
  }
  return std::shared_ptr<const PostProcessor>(std::make_shared<Sequence>(std::move(processors)));
}

}  // namespace

std::shared_ptr<const PostProcessor> make_template(Template single, Template pair) {
  return std::make_shared<TemplateProcessor>(std::move(single), std::move(pair));
}

std::shared_ptr<const PostProcessor> make_bert_template(std::uint32_t first, std::uint32_t last) {
  return make_template({token_piece(first, 0), text_piece(0, 0), token_piece(last, 0)},
                       {token_piece(first, 0), text_piece(0, 0), token_piece(last, 0),
                        text_piece(1, 1), token_piece(last, 1)});
}

Result<std::shared_ptr<const PostProcessor>> read_post_processor(const Json& json) {
  if (json.is_null()) return std::shared_ptr<const PostProcessor>();
  return read(json, 0);
}

}  // namespace hone::tokenize
