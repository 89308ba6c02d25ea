#include "tokenize/fields.h"
#include "tokenize/normalizer.h"
#include "tokenize/pattern.h"
#include "tokenize/pre_tokenizer.h"
#include "tokenize/split_rules.h"
#include "tokenize/unicode.h"

namespace hone::tokenize {
namespace {

constexpr int deepest = 16;
// Splits at characters of one kind.
template <bool (*is_match)(char32_t)>
class ByCharacter final : public PreTokenizer {
 public:
  explicit ByCharacter(Behavior behavior) : behavior_(behavior) {}
  Status apply(Scratch& scratch) const override {
    return split_each(scratch, [&](const Split& split) {
      find_characters(scratch.text(split), is_match, scratch.parts);
      put_parts(split, behavior_, scratch.parts, scratch.next);
      return done();
    });
  }

 private:
  Behavior behavior_;
};

bool is_space(char32_t c) { return is_white_space(c); }
bool is_numeric(char32_t c) {
  return c < 128 ? c >= '0' && c <= '9' : is_in(c, category_set::number);
}
bool is_punctuation(char32_t c) {
  return c < 128 ? is_ascii_punctuation(c) : has_flag(c, character_flag::published_punctuation);
}
bool is_word_or_joiner(char32_t c) {
  if (c < 128) return is_ascii_alphanumeric(c) || c == '_';
  return is_word(c) || has_flag(c, character_flag::join_control);
}

// Spaces go, punctuation stands alone: both in one walk.
class Bert final : public PreTokenizer {
 public:
  Status apply(Scratch& scratch) const override {
    return split_each(scratch, [&](const Split& split) {
      const std::string_view text = scratch.text(split);
      std::uint32_t last = 0;
      const auto put = [&](std::uint32_t begin, std::uint32_t end) {
        if (begin < end) {
          scratch.next.push_back({split.buffer, split.begin + begin, split.begin + end});
        }
      };
      for (std::uint32_t at = 0; at < text.size();) {
        const Character c = character_at(text, at);
        const bool is_gap = is_white_space(c.code);
        if (is_gap || is_punctuation(c.code)) {
          put(last, at);
          last = at + c.length;
          if (!is_gap) put(at, last);
        }
        at += c.length;
      }
      put(last, static_cast<std::uint32_t>(text.size()));
      return done();
    });
  }
};

// \w+|[^\w\s]+
class Whitespace final : public PreTokenizer {
 public:
  Status apply(Scratch& scratch) const override {
    return split_each(scratch, [&](const Split& split) {
      const std::string_view text = scratch.text(split);
      enum class Kind { gap, word, other };
      Kind kind = Kind::gap;
      std::uint32_t begin = 0;
      for (std::uint32_t at = 0; at <= text.size();) {
        const bool is_end = at == text.size();
        const Character c = is_end ? Character{' ', 1} : character_at(text, at);
        const Kind now = is_word_or_joiner(c.code) ? Kind::word
                         : is_white_space(c.code)  ? Kind::gap
                                                   : Kind::other;
        if (now != kind || is_end) {
          if (kind != Kind::gap) {
            scratch.next.push_back({split.buffer, split.begin + begin, split.begin + at});
          }
          begin = at;
          kind = now;
        }
        at += c.length;
      }
      return done();
    });
  }
};

class ByPattern final : public PreTokenizer {
 public:
  ByPattern(Pattern pattern, Behavior behavior, bool inverts)
      : pattern_(std::move(pattern)), behavior_(behavior), inverts_(inverts) {}
  Status apply(Scratch& scratch) const override {
    return split_each(scratch, [&](const Split& split) -> Status {
      HONE_TRY_DO(pattern_.find_all(scratch.text(split), scratch.parts));
      if (inverts_) {
        for (Aligned::Part& part : scratch.parts) part.is_match = !part.is_match;
      }
      put_parts(split, behavior_, scratch.parts, scratch.next);
      return done();
    });
  }

 private:
  Pattern pattern_;
  Behavior behavior_;
  bool inverts_;
};

class ByDelimiter final : public PreTokenizer {
 public:
  explicit ByDelimiter(char32_t delimiter) : delimiter_(delimiter) {}
  Status apply(Scratch& scratch) const override {
    return split_each(scratch, [&](const Split& split) {
      find_characters(
          scratch.text(split), [this](char32_t c) { return c == delimiter_; }, scratch.parts);
      put_parts(split, Behavior::removed, scratch.parts, scratch.next);
      return done();
    });
  }

 private:
  char32_t delimiter_;
};

class FixedLength final : public PreTokenizer {
 public:
  explicit FixedLength(std::uint64_t length) : length_(length) {}
  Status apply(Scratch& scratch) const override {
    return split_each(scratch, [&](const Split& split) {
      const std::string_view text = scratch.text(split);
      std::uint32_t begin = 0;
      std::uint64_t count = 0;
      for (std::uint32_t at = 0; at < text.size();) {
        at += static_cast<std::uint32_t>(length_from(text[at]));
        if (++count < length_ && at < text.size()) continue;
        scratch.next.push_back({split.buffer, split.begin + begin, split.begin + at});
        begin = at;
        count = 0;
      }
      return done();
    });
  }

 private:
  std::uint64_t length_;
};

class UnicodeScripts final : public PreTokenizer {
 public:
  Status apply(Scratch& scratch) const override {
    return split_each(scratch, [&](const Split& split) {
      put_scripts(split, scratch.text(split), scratch.next);
      return done();
    });
  }
};

using Made = Result<std::shared_ptr<const PreTokenizer>>;

template <class Kind, class... Arguments>
Made made(Arguments&&... arguments) {
  return std::shared_ptr<const PreTokenizer>(
      std::make_shared<Kind>(std::forward<Arguments>(arguments)...));
}

Result<Behavior> behavior_field(const Json& json, std::string_view other) {
  HONE_TRY(const std::string name,
           other.empty() ? string_field(json, "behavior") : string_or(json, "behavior", other));
  const auto behavior = behavior_named(name);
  if (!behavior) return unknown_type("split behavior", name);
  return *behavior;
}

Made read_split(const Json& json) {
  HONE_TRY(const Json* pattern, member(json, "pattern"));
  HONE_TRY(Pattern compiled, read_split_pattern(*pattern));
  HONE_TRY(const Behavior behavior, behavior_field(json, ""));
  HONE_TRY(const bool inverts, bool_field(json, "invert"));
  return made<ByPattern>(std::move(compiled), behavior, inverts);
}

Made read_metaspace(const Json& json) {
  HONE_TRY(const std::string replacement, character_field(json, "replacement"));
  HONE_TRY(const std::string name, string_or(json, "prepend_scheme", "always"));
  HONE_TRY(const bool splits, bool_or(json, "split", true));
  HONE_TRY(const bool adds, bool_or(json, "add_prefix_space", true));
  PrependScheme scheme = PrependScheme::never;
  if (name == "always") {
    scheme = PrependScheme::always;
  } else if (name == "first") {
    scheme = PrependScheme::first;
  } else if (name != "never") {
    return unknown_type("prepend scheme", name);
  }
  if (!adds && optional_member(json, "prepend_scheme") != nullptr &&
      scheme != PrependScheme::never) {
    return fail(Fault::bad_input, "cannot read the tokenizer",
                "its Metaspace says add_prefix_space false and prepend_scheme " + name);
  }
  if (!adds) scheme = PrependScheme::never;
  return make_metaspace(character_at(replacement, 0).code, scheme, splits);
}

Made read_byte_level(const Json& json, bool writes_bytes) {
  HONE_TRY(const bool adds_space, bool_field(json, "add_prefix_space"));
  HONE_TRY(const bool uses_regex, bool_or(json, "use_regex", true));
  return make_byte_level(adds_space, uses_regex, writes_bytes);
}

Made read_fixed_length(const Json& json) {
  HONE_TRY(const std::uint64_t length, count_or(json, "length", 5));
  if (length == 0) return bad_field("length", json.find("length"), "a length above zero");
  return made<FixedLength>(length);
}

Made read_digits(const Json& json) {
  HONE_TRY(const bool is_each, bool_field(json, "individual_digits"));
  return made<ByCharacter<is_numeric>>(is_each ? Behavior::isolated : Behavior::contiguous);
}

Made read_one(const Json& json, const std::string& type) {
  if (type == "BertPreTokenizer") return made<Bert>();
  if (type == "Whitespace") return made<Whitespace>();
  if (type == "WhitespaceSplit") return made<ByCharacter<is_space>>(Behavior::removed);
  if (type == "Split") return read_split(json);
  if (type == "Metaspace") return read_metaspace(json);
  if (type == "Digits") return read_digits(json);
  if (type == "UnicodeScripts") return made<UnicodeScripts>();
  if (type == "FixedLength") return read_fixed_length(json);
  if (type == "Punctuation") {
    HONE_TRY(const Behavior behavior, behavior_field(json, "Isolated"));
    return made<ByCharacter<is_punctuation>>(behavior);
  }
  if (type == "CharDelimiterSplit" || type == "Delimiter") {
    HONE_TRY(const std::string delimiter, character_field(json, "delimiter"));
    return made<ByDelimiter>(character_at(delimiter, 0).code);
  }
  return unknown_type("pre-tokenizer", type);
}

// `is_last`: nothing comes behind it.
Status read_all(const Json& json, int depth, bool is_last, PreTokenizers& all) {
  HONE_TRY(const std::string type, type_of(json, "pre_tokenizer"));
  if (type == "Sequence") {
    if (depth > deepest) {
      return fail(Fault::unsupported, "cannot read the tokenizer",
                  "its pre-tokenizers are more than 16 sequences deep");
    }
    HONE_TRY(const Json::Array* steps, array_field(json, "pretokenizers"));
    for (std::size_t i = 0; i < steps->size(); ++i) {
      HONE_TRY_DO(read_all((*steps)[i], depth + 1, is_last && i + 1 == steps->size(), all));
    }
    return done();
  }
  if (type == "ByteLevel") {
    HONE_TRY(auto step, read_byte_level(json, !is_last));
    all.ends_in_bytes = is_last;
    all.steps.push_back(std::move(step));
    return done();
  }
  HONE_TRY(auto step, read_one(json, type));
  all.steps.push_back(std::move(step));
  return done();
}

}  // namespace

std::shared_ptr<const PreTokenizer> make_bert_pre_tokenizer() { return std::make_shared<Bert>(); }

Result<PreTokenizers> read_pre_tokenizers(const Json& json, bool may_end_in_bytes) {
  PreTokenizers all;
  if (!json.is_null()) HONE_TRY_DO(read_all(json, 0, may_end_in_bytes, all));
  return all;
}

}  // namespace hone::tokenize
