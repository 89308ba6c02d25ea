#include "model/text/cursor.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"
#include "model/text/names.h"

namespace hone::syntax {
namespace {

// The largest real graphs have about a hundred thousand nodes.
constexpr std::uint64_t max_things = 2'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

std::string describe(const Token& token) {
  constexpr std::size_t shown = 40;
  if (token.kind == Token::Kind::end) return "the end of the text";
  const bool is_long = token.text.size() > shown;
  return "'" + printable(token.text.substr(0, shown)) + (is_long ? "...'" : "'");
}

}  // namespace

bool Cursor::is_next(std::size_t ahead, char wanted) const {
  return position_ + ahead < text_.size() && text_[position_ + ahead] == wanted;
}

template <class Predicate>
void Cursor::skip_while(Predicate predicate) {
  while (position_ < text_.size() && predicate(text_[position_])) ++position_;
}

Token Cursor::token(Token::Kind kind, std::size_t start) const {
  return {kind, text_.substr(start, position_ - start), start};
}

Token Cursor::broken(std::size_t start, std::string_view why) {
  why_broken_ = why;
  return token(Token::Kind::broken, start);
}

void Cursor::skip_blanks() {
  skip_while(is_blank);
  while (is_next(0, '#')) {
    skip_while([](char c) { return c != '\n'; });
    skip_while(is_blank);
  }
}

Token Cursor::scan_string() {
  const std::size_t start = position_++;
  while (position_ < text_.size() && text_[position_] != '"') {
    position_ += is_next(0, '\\') ? 2 : 1;
  }
  if (position_ >= text_.size()) {
    position_ = text_.size();
    return broken(start, "this string has no closing quote");
  }
  ++position_;
  return token(Token::Kind::string, start);
}

// The exponent, where there is one; false when it has no digits.
bool Cursor::skip_exponent() {
  if (!is_next(0, 'e') && !is_next(0, 'E')) return true;
  ++position_;
  if (is_next(0, '+') || is_next(0, '-')) ++position_;
  const std::size_t digits = position_;
  skip_while(is_digit);
  return position_ > digits;
}

// -?[0-9]+ with an optional fraction and exponent; 0x for the bits of a NaN; -inf and -nan.
Token Cursor::scan_number() {
  const std::size_t start = position_;
  if (is_next(0, '-')) ++position_;
  const std::size_t digits = position_;
  skip_while(is_digit);
  if (position_ == digits) {
    skip_while(continues_word);
    return position_ == digits ? broken(start, "a number must follow the '-'")
                               : token(Token::Kind::word, start);
  }
  if (is_next(0, 'x') && text_.substr(start, position_ - start) == "0") {
    ++position_;
    skip_while([](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
    return end_number(Token::Kind::hex, start);
  }
  const std::size_t integer_end = position_;
  if (is_next(0, '.')) {
    ++position_;
    skip_while(is_digit);
  }
  if (!skip_exponent()) return broken(start, "this number has an exponent without digits");
  return end_number(position_ == integer_end ? Token::Kind::integer : Token::Kind::real, start);
}

Token Cursor::end_number(Token::Kind kind, std::size_t start) {
  const std::size_t end = position_;
  skip_while(continues_word);
  if (position_ == end) return token(kind, start);
  return broken(start, "this is neither a number nor a name (such names stand in quotes)");
}

Token Cursor::scan() {
  skip_blanks();
  const std::size_t start = position_;
  if (start >= text_.size()) return {Token::Kind::end, {}, text_.size()};
  const char first = text_[start];
  if (first == '"') return scan_string();
  if (first == '-' || is_digit(first)) return scan_number();
  if (begins_word(first)) {
    skip_while(continues_word);
    return token(Token::Kind::word, start);
  }
  if (is_next(1, '>') && first == '=') {
    position_ += 2;
    return token(Token::Kind::arrow, start);
  }
  if (text_.substr(start, 3) == "...") {
    position_ += 3;
    return token(Token::Kind::ellipsis, start);
  }
  ++position_;
  constexpr std::string_view symbols = "()[]{}<>,:=.@?!";
  if (symbols.find(first) != std::string_view::npos) return token(Token::Kind::symbol, start);
  return broken(start, "this character has no meaning here (names that hold it stand in quotes)");
}

Token Cursor::take() {
  const Token taken = next_;
  // Nothing comes after a broken token: it stays until somebody reports it.
  if (taken.kind != Token::Kind::broken) next_ = scan();
  return taken;
}

bool Cursor::accept(char symbol) {
  if (!at(symbol)) return false;
  take();
  return true;
}

Status Cursor::expect(char symbol, std::string_view where) {
  if (accept(symbol)) return done();
  return unexpected("'" + std::string(1, symbol) + "' " + std::string(where));
}

Failure Cursor::unexpected(std::string_view expected) const {
  if (at(Token::Kind::broken)) {
    return error(next_.offset, std::string(why_broken_) + ": " + describe(next_));
  }
  if (at(Token::Kind::ellipsis)) {
    return error(next_.offset, "data was elided here ('...'), so this text cannot be read back",
                 "print the model again with everything in it");
  }
  return error(next_.offset, "expected " + std::string(expected) + ", found " + describe(next_));
}

Failure Cursor::error(std::size_t offset, std::string_view problem, std::string hint) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::string_view row =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  // Columns are characters, not bytes: those that continue one in UTF-8 do not count.
  const auto column =
      std::count_if(row.begin(), row.end(), [](char c) { return (c & 0xC0) != 0x80; }) + 1;
  return misuse("line " + std::to_string(line) + ", column " + std::to_string(column) +
                    " of the model text: " + std::string(problem),
                std::move(hint));
}

Status Cursor::count_thing() {
  if (++things_ <= max_things) return done();
  return error(next_.offset,
               "more than " + std::to_string(max_things) + " nodes, values and attributes");
}

std::string unquoted(std::string_view token) {
  const std::string_view inside = token.substr(1, token.size() - 2);
  std::string plain;
  plain.reserve(inside.size());
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '\\') ++i;
    plain += inside[i];
  }
  return plain;
}

}  // namespace hone::syntax
