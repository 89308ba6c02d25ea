#pragma once
// The tokens of a model text, one after the other, and errors that say where.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hone::syntax {

struct Token {
  enum class Kind { end, word, string, integer, real, hex, symbol, arrow, ellipsis, broken };
  Kind kind = Kind::end;
  std::string_view text;  // as it is written: a string with its quotes, a number with its sign
  std::size_t offset = 0;
};

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { take(); }

  const Token& peek() const { return next_; }
  bool at(Token::Kind kind) const { return next_.kind == kind; }
  bool at(char symbol) const { return at(Token::Kind::symbol) && next_.text.front() == symbol; }
  bool at_word(std::string_view word) const { return at(Token::Kind::word) && next_.text == word; }

  Token take();
  bool accept(char symbol);
  // `where` completes the message: "expected ')' after the inputs".
  Status expect(char symbol, std::string_view where);

  // The error "expected ..., found ..." at the next token.
  Failure unexpected(std::string_view expected) const;
  // Any other error at a place of the text.
  Failure error(std::size_t offset, std::string_view problem, std::string hint = {}) const;

  // Every node, value and attribute is counted: some bytes of text make some hundred bytes of
  // model.
  Status count_thing();
  std::size_t bytes_left() const { return text_.size() - position_; }

 private:
  void skip_blanks();
  bool is_next(std::size_t ahead, char wanted) const;
  template <class Predicate>
  void skip_while(Predicate predicate);
  Token token(Token::Kind kind, std::size_t start) const;
  Token broken(std::size_t start, std::string_view why);
  Token scan();
  Token scan_string();
  Token scan_number();
  bool skip_exponent();
  Token end_number(Token::Kind kind, std::size_t start);

  std::string_view text_;
  std::size_t position_ = 0;
  Token next_;
  std::string_view why_broken_;
  std::uint64_t things_ = 0;
};

// What a string token says: without its quotes, `\x` is x.
std::string unquoted(std::string_view token);

}  // namespace hone::syntax
