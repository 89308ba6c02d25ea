// The normalizers but for SentencePiece's (precompiled.cpp).

#include <string>

#include "base/base64.h"
#include "tokenize/byte_alphabet.h"
#include "tokenize/fields.h"
#include "tokenize/normal_form.h"
#include "tokenize/normalizer.h"
#include "tokenize/pattern.h"
#include "tokenize/unicode.h"

namespace hone::tokenize {
namespace {

constexpr int deepest = 16;

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

bool has_upper_ascii(std::string_view text) {
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') return true;
  }
  return false;
}

void lowercase_text(Aligned& text) {
  if (is_ascii(text.text())) {
    if (!has_upper_ascii(text.text())) return;
    std::string lower(text.text());
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    text.replace_same_length(std::move(lower));
    return;
  }
  text.rewrite([](char32_t c, auto emit) {
    if (c < 128) {
      emit(c >= 'A' && c <= 'Z' ? c + 32 : c);
    } else if (has_flag(c, character_flag::long_lowercase)) {
      for (const char32_t part : long_lowercase(c)) emit(part);
    } else {
      emit(simple_lowercase(c));
    }
  });
}

class Form final : public Normalizer {
 public:
  explicit Form(NormalForm form) : form_(form) {}
  Status apply(Aligned& text) const override {
    normalize(text, form_);
    return done();
  }

 private:
  NormalForm form_;
};

class Lowercase final : public Normalizer {
 public:
  Status apply(Aligned& text) const override {
    lowercase_text(text);
    return done();
  }
};

class Strip final : public Normalizer {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}
  Status apply(Aligned& text) const override {
    const std::string_view all = text.text();
    std::size_t begin = 0;
    std::size_t end = all.size();
    while (left_ && begin < end) {
      const Character c = character_at(all, begin);
      if (!is_white_space(c.code)) break;
      begin += c.length;
    }
    while (right_ && end > begin) {
      const Character c = character_before(all, end);
      if (!is_white_space(c.code)) break;
      end -= c.length;
    }
    text.keep(begin, end);
    return done();
  }

 private:
  bool left_, right_;
};

class StripAccents final : public Normalizer {
 public:
  Status apply(Aligned& text) const override {
    if (is_ascii(text.text())) return done();
    text.rewrite([](char32_t c, auto emit) {
      if (!has_flag(c, character_flag::published_mark)) emit(c);
    });
    return done();
  }
};

class Replace final : public Normalizer {
 public:
  Replace(Pattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  Status apply(Aligned& text) const override {
    std::vector<Aligned::Part> parts;
    HONE_TRY_DO(pattern_.find_all(text.text(), parts));
    for (const Aligned::Part& part : parts) {
      if (!part.is_match) continue;
      text.replace(parts, content_);
      break;
    }
    return done();
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class Prepend final : public Normalizer {
 public:
  explicit Prepend(std::string text) : prefix_(std::move(text)) {}
  Status apply(Aligned& text) const override {
    if (!text.empty() && !prefix_.empty()) text.prepend(prefix_);
    return done();
  }

 private:
  std::string prefix_;
};

// The rules of neural machine translation.
class Nmt final : public Normalizer {
 public:
  Status apply(Aligned& text) const override {
    text.rewrite([](char32_t c, auto emit) {
      if (is_gone(c)) return;
      emit(is_space(c) ? U' ' : c);
    });
    return done();
  }

 private:
  static bool is_gone(char32_t c) {
    return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
           c == 0x8F || c == 0x9F;
  }
  static bool is_space(char32_t c) {
    return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
           c == 0xFEFF || c == 0xFFFD;
  }
};

class ByteLevel final : public Normalizer {
 public:
  Status apply(Aligned& text) const override {
    text.rewrite([](char32_t c, auto emit) {
      std::string bytes;
      append(bytes, c);
      for (const char byte : bytes) emit(character_of_byte(static_cast<unsigned char>(byte)));
    });
    return done();
  }
};

class Bert final : public Normalizer {
 public:
  explicit Bert(const BertRules& rules) : rules_(rules) {}

  Status apply(Aligned& text) const override {
    if (is_ascii(text.text())) {
      if (rules_.cleans) clean_ascii(text);
      if (rules_.lowercases) lowercase_text(text);
      return done();
    }
    if (rules_.cleans || rules_.separates_ideographs) clean(text);
    if (rules_.strips_accents) {
      normalize(text, NormalForm::nfd);
      strip_accents(text);
    }
    if (rules_.lowercases) lowercase_text(text);
    return done();
  }

 private:
  static bool is_control(char32_t c) {
    if (c == '\t' || c == '\n' || c == '\r') return false;
    if (c < 128) return c < 32 || c == 127;
    return c == 0xFFFD || has_flag(c, character_flag::published_control);
  }
  static bool is_ideograph(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
  }
  static void clean_ascii(Aligned& text) {
    bool has_control = false;
    bool has_space = false;
    for (const char c : text.text()) {
      const auto byte = static_cast<unsigned char>(c);
      if (is_control(byte)) has_control = true;
      if (byte < 32) has_space = true;
    }
    if (has_control) return clean_any(text);
    if (!has_space) return;
    std::string clean(text.text());
    for (char& c : clean) c = static_cast<unsigned char>(c) < 32 ? ' ' : c;
    text.replace_same_length(std::move(clean));
  }
  static void clean_any(Aligned& text) {
    text.rewrite([](char32_t c, auto emit) {
      if (!is_control(c)) emit(is_white_space(c) ? U' ' : c);
    });
  }
  void clean(Aligned& text) const {
    bool changes = false;
    for (std::size_t i = 0; i < text.text().size() && !changes;) {
      const Character c = character_at(text.text(), i);
      i += c.length;
      const bool is_cleaned =
          rules_.cleans && (is_control(c.code) || (is_white_space(c.code) && c.code != ' '));
      changes = is_cleaned || (rules_.separates_ideographs && is_ideograph(c.code));
    }
    if (!changes) return;
    text.rewrite([this](char32_t c, auto emit) {
      if (rules_.cleans && is_control(c)) return;
      if (rules_.separates_ideographs && is_ideograph(c)) {
        emit(U' ');
        emit(c);
        emit(U' ');
      } else {
        emit(rules_.cleans && is_white_space(c) ? U' ' : c);
      }
    });
  }
  static void strip_accents(Aligned& text) {
    bool has = false;
    for (std::size_t i = 0; i < text.text().size() && !has;) {
      const Character c = character_at(text.text(), i);
      i += c.length;
      has = c.code >= 0x300 && has_flag(c.code, character_flag::published_accent);
    }
    if (!has) return;
    text.rewrite([](char32_t c, auto emit) {
      if (!has_flag(c, character_flag::published_accent)) emit(c);
    });
  }

  BertRules rules_;
};

class Sequence final : public Normalizer {
 public:
  explicit Sequence(std::vector<std::shared_ptr<const Normalizer>> all) : all_(std::move(all)) {}
  Status apply(Aligned& text) const override {
    for (const auto& one : all_) HONE_TRY_DO(one->apply(text));
    return done();
  }

 private:
  std::vector<std::shared_ptr<const Normalizer>> all_;
};

using Made = Result<std::shared_ptr<const Normalizer>>;

template <class Kind, class... Arguments>
Made made(Arguments&&... arguments) {
  return std::shared_ptr<const Normalizer>(
      std::make_shared<Kind>(std::forward<Arguments>(arguments)...));
}

Made read_bert(const Json& json) {
  BertRules rules;
  HONE_TRY(rules.cleans, bool_field(json, "clean_text"));
  HONE_TRY(rules.separates_ideographs, bool_field(json, "handle_chinese_chars"));
  HONE_TRY(rules.lowercases, bool_field(json, "lowercase"));
  HONE_TRY(rules.strips_accents, bool_or(json, "strip_accents", rules.lowercases));
  return make_bert_normalizer(rules);
}

Made read_strip(const Json& json) {
  HONE_TRY(const bool left, bool_field(json, "strip_left"));
  HONE_TRY(const bool right, bool_field(json, "strip_right"));
  return make_strip(left, right);
}

Made read_replace(const Json& json) {
  HONE_TRY(const Json* pattern, member(json, "pattern"));
  HONE_TRY(std::string content, string_field(json, "content"));
  HONE_TRY(Pattern compiled, read_split_pattern(*pattern));
  return made<Replace>(std::move(compiled), std::move(content));
}

Made read_charsmap(const Json& json) {
  HONE_TRY(const std::string encoded, string_or(json, "precompiled_charsmap", ""));
  const auto bytes = from_base64(encoded);
  if (!bytes) return bad_field("precompiled_charsmap", nullptr, "base64");
  return make_precompiled(*bytes);
}

Made read(const Json& json, int depth);

Made read_sequence(const Json& json, int depth) {
  if (depth > deepest) {
    return fail(Fault::unsupported, "cannot read the tokenizer",
                "its normalizers are more than 16 sequences deep");
  }
  HONE_TRY(const Json::Array* all, array_field(json, "normalizers"));
  std::vector<std::shared_ptr<const Normalizer>> normalizers;
  for (const Json& one : *all) {
    HONE_TRY(auto normalizer, read(one, depth + 1));
    normalizers.push_back(std::move(normalizer));
  }
  return sequence_of(std::move(normalizers));
}

Made read(const Json& json, int depth) {
  HONE_TRY(const std::string type, type_of(json, "normalizer"));
  if (type == "BertNormalizer" || type == "Bert") return read_bert(json);
  if (type == "NFC") return made<Form>(NormalForm::nfc);
  if (type == "NFD") return made<Form>(NormalForm::nfd);
  if (type == "NFKC") return made<Form>(NormalForm::nfkc);
  if (type == "NFKD") return made<Form>(NormalForm::nfkd);
  if (type == "Lowercase") return made<Lowercase>();
  if (type == "Strip") return read_strip(json);
  if (type == "StripAccents") return made<StripAccents>();
  if (type == "Nmt") return made<Nmt>();
  if (type == "ByteLevel") return made<ByteLevel>();
  if (type == "Replace") return read_replace(json);
  if (type == "Precompiled") return read_charsmap(json);
  if (type == "Sequence") return read_sequence(json, depth);
  if (type == "Prepend") {
    HONE_TRY(const std::string text, string_field(json, "prepend"));
    return make_prepend(text);
  }
  return unknown_type("normalizer", type);
}

}  // namespace

Result<Pattern> read_split_pattern(const Json& json) {
  if (optional_member(json, "Regex") != nullptr) {
    HONE_TRY(const std::string regex, string_field(json, "Regex"));
    return Pattern::compile(regex);
  }
  HONE_TRY(const std::string text, string_field(json, "String"));
  return Pattern::literal(text);
}

std::shared_ptr<const Normalizer> sequence_of(
    std::vector<std::shared_ptr<const Normalizer>> normalizers) {
  if (normalizers.empty()) return nullptr;
  if (normalizers.size() == 1) return normalizers.front();
  return std::make_shared<Sequence>(std::move(normalizers));
}

std::shared_ptr<const Normalizer> make_replace(std::string_view what, std::string_view by) {
  return std::make_shared<Replace>(Pattern::literal(what), std::string(by));
}

std::shared_ptr<const Normalizer> make_prepend(std::string_view text) {
  return std::make_shared<Prepend>(std::string(text));
}

std::shared_ptr<const Normalizer> make_strip(bool left, bool right) {
  return std::make_shared<Strip>(left, right);
}

std::shared_ptr<const Normalizer> make_bert_normalizer(const BertRules& rules) {
  return std::make_shared<Bert>(rules);
}

Result<std::shared_ptr<const Normalizer>> read_normalizer(const Json& json) {
  if (json.is_null()) return std::shared_ptr<const Normalizer>();
  return read(json, 0);
}

}  // namespace hone::tokenize
