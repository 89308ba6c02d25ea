// Pre-tokenizers that write spaces as characters: GPT-2's bytes and SentencePiece's marks.

#include "tokenize/byte_alphabet.h"
#include "tokenize/pattern.h"
#include "tokenize/pre_tokenizer.h"
#include "tokenize/split_rules.h"

namespace hone::tokenize {
namespace {

constexpr std::string_view gpt2_words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// GPT-2's way: words with the space before them, then each byte a character of its alphabet.
class ByteLevel final : public PreTokenizer {
 public:
  ByteLevel(std::optional<Pattern> words, bool adds_space, bool writes_bytes)
      : words_(std::move(words)), adds_space_(adds_space), writes_bytes_(writes_bytes) {}

  Status apply(Scratch& scratch) const override {
    Status status = split_each(scratch, [&](const Split& given) -> Status {
      Split split = given;
      if (adds_space_ && scratch.text(split)[0] != ' ') split = with_space(scratch, split);
      if (!words_) {
        scratch.next.push_back(split);
        return done();
      }
      HONE_TRY_DO(words_->find_all(scratch.text(split), scratch.parts));
      put_parts(split, Behavior::isolated, scratch.parts, scratch.next);
      return done();
    });
    if (writes_bytes_ && status) write_bytes(scratch);
    return status;
  }

 private:
  static Split with_space(Scratch& scratch, const Split& split) {
    const std::uint32_t number = scratch.add_buffer();
    Aligned& made = scratch.buffers[number];
    const Aligned& from = scratch.buffers[split.buffer];
    made.build(scratch.is_tracked);
    made.put(U' ', from.origin(split.begin, split.begin + 1));
    made.put(from, split.begin, split.end - split.begin);
    made.end_building();
    return {number, 0, static_cast<std::uint32_t>(made.text().size())};
  }
  static void write_bytes(Scratch& scratch) {
    const std::uint32_t number = scratch.add_buffer();
    Aligned& made = scratch.buffers[number];
    made.build(scratch.is_tracked);
    for (Split& split : scratch.splits) {
      if (split.added != no_id) continue;
      const Aligned& from = scratch.buffers[split.buffer];
      const auto begin = static_cast<std::uint32_t>(made.built());
      for (std::size_t i = split.begin; i < split.end; ++i) {
        made.put(character_of_byte(static_cast<unsigned char>(from.text()[i])),
                 from.origin(i, i + 1));
      }
      split = {number, begin, static_cast<std::uint32_t>(made.built())};
    }
    made.end_building();
  }

  std::optional<Pattern> words_;
  bool adds_space_;
  bool writes_bytes_;
};

// SentencePiece's way: spaces become a character that can be seen, and words begin with it.
class Metaspace final : public PreTokenizer {
 public:
  Metaspace(char32_t replacement, PrependScheme scheme, bool splits)
      : code_(replacement), scheme_(scheme), splits_(splits) {
    append(text_, replacement);
  }
  bool needs_origins() const override { return scheme_ == PrependScheme::first; }

  Status apply(Scratch& scratch) const override {
    const std::uint32_t number = scratch.add_buffer();
    Aligned& made = scratch.buffers[number];
    made.build(scratch.is_tracked);
    const Status status = split_each(scratch, [&](const Split& split) {
      const auto begin = static_cast<std::uint32_t>(made.built());
      put_text(scratch, split, made);
      scratch.next.push_back({number, begin, static_cast<std::uint32_t>(made.built())});
      return done();
    });
    made.end_building();
    if (!splits_ || !status) return status;
    return split_each(scratch, [&](const Split& split) {
      find_characters(
          scratch.text(split), [this](char32_t c) { return c == code_; }, scratch.parts);
      put_parts(split, Behavior::merged_with_next, scratch.parts, scratch.next);
      return done();
    });
  }

 private:
  void put_text(const Scratch& scratch, const Split& split, Aligned& made) const {
    const Aligned& from = scratch.buffers[split.buffer];
    const std::string_view text = scratch.text(split);
    const bool has_mark = text[0] == ' ' || text.starts_with(text_);
    const bool may_prepend =
        scheme_ == PrependScheme::always ||
        (scheme_ == PrependScheme::first && from.origin(split.begin, split.begin + 1).begin == 0);
    if (may_prepend && !has_mark) made.put(code_, from.origin(split.begin, split.begin + 1));
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = text.find(' ', i);
      if (end == std::string_view::npos) end = text.size();
      made.put(from, split.begin + i, end - i);
      i = end;
      for (; i < text.size() && text[i] == ' '; ++i) {
        made.put(code_, from.origin(split.begin + i, split.begin + i + 1));
      }
    }
  }

  char32_t code_;
  std::string text_{};
  PrependScheme scheme_;
  bool splits_;
};

}  // namespace

std::shared_ptr<const PreTokenizer> make_metaspace(char32_t replacement, PrependScheme scheme,
                                                   bool splits) {
  return std::make_shared<Metaspace>(replacement, scheme, splits);
}

Result<std::shared_ptr<const PreTokenizer>> make_byte_level(bool adds_space, bool uses_regex,
                                                            bool writes_bytes) {
  std::optional<Pattern> words;
  if (uses_regex) {
    HONE_TRY(words, Pattern::compile(gpt2_words));
  }
  return std::shared_ptr<const PreTokenizer>(
      std::make_shared<ByteLevel>(std::move(words), adds_space, writes_bytes));
}

}  // namespace hone::tokenize
