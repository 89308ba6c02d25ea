#include "tokenize/byte_alphabet.h"
#include "tokenize/decoder.h"
#include "tokenize/fields.h"
#include "tokenize/normalizer.h"
#include "tokenize/pattern.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

constexpr int deepest = 16;

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string made;
  for (std::size_t at = 0;;) {
    const std::size_t found = what.empty() ? std::string_view::npos : text.find(what, at);
    made += text.substr(at, found == std::string_view::npos ? found : found - at);
    if (found == std::string_view::npos) return made;
    made += by;
    at = found + what.size();
  }
}

// Spaces that splitting put before punctuation and endings.
std::string cleaned(std::string_view token) {
  constexpr std::pair<std::string_view, std::string_view> rules[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  std::string text(token);
  for (const auto& [what, by] : rules) text = replaced(text, what, by);
  return text;
}

class ByteLevel final : public Decoder {
 public:
  void apply(std::vector<std::string>& tokens) const override {
    std::string bytes;
    for (const std::string& token : tokens) {
      const auto known = bytes_of(token);
      bytes += known ? *known : token;
    }
    tokens = {repaired(bytes)};
  }
};

class WordPiece final : public Decoder {
 public:
  WordPiece(std::string prefix, bool cleans) : prefix_(std::move(prefix)), cleans_(cleans) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::string& token = tokens[i];
      if (i != 0) token = token.starts_with(prefix_) ? token.substr(prefix_.size()) : " " + token;
      if (cleans_) token = cleaned(token);
    }
  }

 private:
  std::string prefix_;
  bool cleans_;
};

class Metaspace final : public Decoder {
 public:
  Metaspace(std::string replacement, bool prepends)
      : replacement_(std::move(replacement)), prepends_(prepends) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = replaced(tokens[i], replacement_, i == 0 && prepends_ ? "" : " ");
    }
  }

 private:
  std::string replacement_;
  bool prepends_;
};

class Bpe final : public Decoder {
 public:
  explicit Bpe(std::string suffix) : suffix_(std::move(suffix)) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = replaced(tokens[i], suffix_, i + 1 == tokens.size() ? "" : " ");
    }
  }

 private:
  std::string suffix_;
};

class Ctc final : public Decoder {
 public:
  Ctc(std::string pad, std::string delimiter, bool cleans)
      : pad_(std::move(pad)), delimiter_(std::move(delimiter)), cleans_(cleans) {}
  void apply(std::vector<std::string>& tokens) const override {
    std::vector<std::string> kept;
    const std::string* last = nullptr;
    for (const std::string& token : tokens) {
      if (last != nullptr && *last == token) continue;
      last = &token;
      std::string text = replaced(token, pad_, "");
      if (cleans_) text = replaced(cleaned(text), delimiter_, " ");
      if (!text.empty()) kept.push_back(std::move(text));
    }
    tokens = std::move(kept);
  }

 private:
  std::string pad_, delimiter_;
  bool cleans_;
};

class Replace final : public Decoder {
 public:
  Replace(Pattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  void apply(std::vector<std::string>& tokens) const override {
    std::vector<Aligned::Part> parts;
    for (std::string& token : tokens) {
      if (!pattern_.find_all(token, parts)) continue;
      std::string made;
      for (const Aligned::Part& part : parts) {
        made += part.is_match ? std::string_view(content_)
                              : std::string_view(token).substr(part.begin, part.end - part.begin);
      }
      token = std::move(made);
    }
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class Fuse final : public Decoder {
 public:
  void apply(std::vector<std::string>& tokens) const override {
    std::string all;
    for (const std::string& token : tokens) all += token;
    tokens = {std::move(all)};
  }
};

class Strip final : public Decoder {
 public:
  Strip(std::string content, std::uint64_t start, std::uint64_t stop)
      : content_(std::move(content)), start_(start), stop_(stop) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens) {
      std::string_view text = token;
      for (std::uint64_t i = 0; i < start_ && text.starts_with(content_); ++i) {
        text.remove_prefix(content_.size());
      }
      for (std::uint64_t i = 0; i < stop_ && text.ends_with(content_); ++i) {
        text.remove_suffix(content_.size());
      }
      token = std::string(text);
    }
  }

 private:
  std::string content_;
  std::uint64_t start_, stop_;
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 32);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// "<0x0A>": the byte; -1: another token.
int byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
  const int high = hex_digit(token[3]);
  const int low = hex_digit(token[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

class ByteFallback final : public Decoder {
 public:
  void apply(std::vector<std::string>& tokens) const override {
    std::vector<std::string> made;
    std::string bytes;
    const auto flush = [&] {
      if (bytes.empty()) return;
      if (valid_prefix(bytes) == bytes.size()) {
        made.push_back(bytes);
      } else {
        made.insert(made.end(), bytes.size(), std::string(replacement_character));
      }
      bytes.clear();
    };
    for (std::string& token : tokens) {
      const int byte = byte_of_token(token);
      if (byte >= 0) {
        bytes.push_back(static_cast<char>(byte));
        continue;
      }
      flush();
      made.push_back(std::move(token));
    }
    flush();
    tokens = std::move(made);
  }
};

class Sequence final : public Decoder {
 public:
  explicit Sequence(std::vector<std::shared_ptr<const Decoder>> all) : all_(std::move(all)) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (const auto& one : all_) one->apply(tokens);
  }

 private:
  std::vector<std::shared_ptr<const Decoder>> all_;
};

using Made = Result<std::shared_ptr<const Decoder>>;

template <class Kind, class... Arguments>
Made made(Arguments&&... arguments) {
  return std::shared_ptr<const Decoder>(
      std::make_shared<Kind>(std::forward<Arguments>(arguments)...));
}

Made read_metaspace(const Json& json) {
  HONE_TRY(std::string replacement, character_field(json, "replacement"));
  HONE_TRY(const bool adds, bool_or(json, "add_prefix_space", true));
  HONE_TRY(const std::string scheme, string_or(json, "prepend_scheme", "always"));
  return made<Metaspace>(std::move(replacement), adds && scheme != "never");
}

Made read_ctc(const Json& json) {
  HONE_TRY(std::string pad, string_field(json, "pad_token"));
  HONE_TRY(std::string delimiter, string_field(json, "word_delimiter_token"));
  HONE_TRY(const bool cleans, bool_field(json, "cleanup"));
  return made<Ctc>(std::move(pad), std::move(delimiter), cleans);
}

Made read_word_piece(const Json& json) {
  HONE_TRY(std::string prefix, string_field(json, "prefix"));
  HONE_TRY(const bool cleans, bool_field(json, "cleanup"));
  return made<WordPiece>(std::move(prefix), cleans);
}

Made read_replace(const Json& json) {
  HONE_TRY(const Json* pattern, member(json, "pattern"));
  HONE_TRY(Pattern compiled, read_split_pattern(*pattern));
  HONE_TRY(std::string content, string_field(json, "content"));
  return made<Replace>(std::move(compiled), std::move(content));
}

Made read_strip(const Json& json) {
  HONE_TRY(std::string content, character_field(json, "content"));
  HONE_TRY(const std::uint64_t start, count_field(json, "start"));
  HONE_TRY(const std::uint64_t stop, count_field(json, "stop"));
  return made<Strip>(std::move(content), start, stop);
}

Made read(const Json& json, int depth);

Made read_sequence(const Json& json, int depth) {
  if (depth > deepest) {
    return fail(Fault::unsupported, "cannot read the tokenizer",
                "its decoders are more than 16 sequences deep");
  }
  HONE_TRY(const Json::Array* all, array_field(json, "decoders"));
  std::vector<std::shared_ptr<const Decoder>> decoders;
  for (const Json& one : *all) {
    HONE_TRY(auto decoder, read(one, depth + 1));
    decoders.push_back(std::move(decoder));
  }
  return made<Sequence>(std::move(decoders));
}

Made read(const Json& json, int depth) {
  HONE_TRY(const std::string type, type_of(json, "decoder"));
  if (type == "ByteLevel") return made<ByteLevel>();
  if (type == "WordPiece") return read_word_piece(json);
  if (type == "Metaspace") return read_metaspace(json);
  if (type == "CTC") return read_ctc(json);
  if (type == "Replace") return read_replace(json);
  if (type == "Fuse") return made<Fuse>();
  if (type == "Strip") return read_strip(json);
  if (type == "ByteFallback") return made<ByteFallback>();
  if (type == "Sequence") return read_sequence(json, depth);
  if (type == "BPEDecoder") {
    HONE_TRY(std::string suffix, string_field(json, "suffix"));
    return made<Bpe>(std::move(suffix));
  }
  return unknown_type("decoder", type);
}

}  // namespace

Result<std::shared_ptr<const Decoder>> read_decoder(const Json& json) {
  if (json.is_null()) return std::shared_ptr<const Decoder>();
  return read(json, 0);
}

}  // namespace hone::tokenize
