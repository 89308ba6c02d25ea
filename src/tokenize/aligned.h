#pragma once
// A text on its way through normalizers, and where each byte of it comes from.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/encoding.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {

// One character of the text that a transformation makes: `change` is 0 where it takes the place of
// the next character, 1 where it is one more, and -N where it takes the place of the next and N
// behind that go.
struct Change {
  char32_t code = 0;
  std::int32_t change = 0;
};

class Aligned {
 public:
  Aligned() = default;
  Aligned(const Aligned&) = delete;  // its text may be a view of itself
  Aligned& operator=(const Aligned&) = delete;

  // A section of the original that begins at `base` there. REQUIRES: the view outlives this, or the
  // first change of it.
  void start(std::string_view section, std::uint32_t base, bool tracked);

  std::string_view text() const { return text_; }
  bool empty() const { return text_.empty(); }
  // Where the characters of [begin, end) come from. REQUIRES: begin < end <= text().size().
  Span origin(std::size_t begin, std::size_t end) const;

  // Replaces the text by what `rewrite(code, emit)` emits for each of its characters; all of it
  // comes from where that character came from.
  template <class Rewrite>
  void rewrite(Rewrite rewrite);
  // The text is the same but for characters of the same length: origins stay.
  void replace_same_length(std::string text);
  // Puts it before everything; it comes from where the first character comes from. REQUIRES: not
  // empty().
  void prepend(std::string_view text);
  // Keeps [begin, end).
  void keep(std::size_t begin, std::size_t end);
  // Each matched part (`is_match`) gives way to `content`, which comes from its last character.
  struct Part {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool is_match = false;
  };
  void replace(std::span<const Part> parts, std::string_view content);
  // Begins a text that is put together piece by piece, and is not to be looked at before it ends.
  void build(bool tracked);
  void put(char32_t code, Span origin) { push(owned_, from_, code, origin); }
  // As it stands in another text.
  void put(const Aligned& other, std::size_t at, std::size_t length);
  std::size_t built() const { return owned_.size(); }
  void end_building() { text_ = owned_; }
  // What the library that tokenizers were published with does, to the letter: see Change.
  void transform(std::span<const Change> changes);

 private:
  Span at(std::size_t byte) const;  // of the character that holds the byte
  void own(std::string text, std::vector<Span> from);
  void push(std::string& text, std::vector<Span>& from, char32_t code, Span origin) const;

  std::string_view text_{};
  std::string owned_{};
  // One for each byte; none where `is_same_`: then byte i comes from base_ + i.
  std::vector<Span> from_{};
  std::uint32_t base_ = 0;
  bool is_same_ = true;
  bool tracked_ = true;
};

template <class Rewrite>
void Aligned::rewrite(Rewrite rewrite) {
  std::string text;
  std::vector<Span> from;
  text.reserve(text_.size() + text_.size() / 8);
  if (tracked_) from.reserve(text_.size() + text_.size() / 8);
  for (std::size_t i = 0; i < text_.size();) {
    const Character c = character_at(text_, i);
    const Span origin = tracked_ ? at(i) : Span{};
    rewrite(c.code, [&](char32_t code) { push(text, from, code, origin); });
    i += c.length;
  }
  own(std::move(text), std::move(from));
}

}  // namespace hone::tokenize
