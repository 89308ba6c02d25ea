#include "model/text/numbers.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "model/text/names.h"

namespace hone::syntax {
namespace {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Quiet, no payload: what 0.0 / 0.0 has apart from its sign.
template <class T>
constexpr BitsOf<T> usual_nan = std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::quiet_NaN());
template <class T>
constexpr BitsOf<T> sign_bit = BitsOf<T>{1} << (sizeof(T) * 8 - 1);

template <class T>
void append(std::string& out, T value) {
  char buffer[40];
  if (!std::isnan(value)) {
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
    return;
  }
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  if ((bits & sign_bit<T>) != 0) out += '-';
  out += "nan";
  if ((bits & ~sign_bit<T>) == usual_nan<T>) return;
  out += "(0x";
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, bits, 16).ptr);
  out += ')';
}

Failure out_of_range(const Cursor& cursor, const Token& token, std::string_view type) {
  return cursor.error(token.offset, "the number " + std::string(token.text) +
                                        " is out of the range of " + std::string(type));
}

// The token as a number, when all of it is one and it fits.
template <class T>
std::optional<T> value_of(const Token& token) {
  T value = 0;
  const char* end = token.text.data() + token.text.size();
  const auto [stop, problem] = std::from_chars(token.text.data(), end, value);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return value;
}

// The bits behind nan: "(0x7f800001)", when they are there.
template <class T>
Result<T> read_nan(Cursor& cursor, const Token& word) {
  const bool is_negative = word.text.front() == '-';
  BitsOf<T> bits = usual_nan<T> | (is_negative ? sign_bit<T> : 0);
  if (!cursor.accept('(')) return std::bit_cast<T>(bits);
  if (!cursor.at(Token::Kind::hex))
    return cursor.unexpected("the bits of a NaN, as in nan(0x7fc00001)");
  const Token token = cursor.take();
  const char* end = token.text.data() + token.text.size();
  const auto [stop, problem] = std::from_chars(token.text.data() + 2, end, bits, 16);
  const bool is_read = problem == std::errc() && stop == end;
  const bool has_its_sign = ((bits & sign_bit<T>) != 0) == is_negative;
  if (!is_read || !has_its_sign || !std::isnan(std::bit_cast<T>(bits))) {
    return cursor.error(token.offset, std::string(token.text) + " is not the bit pattern of a " +
                                          std::string(word.text));
  }
  HONE_TRY_DO(cursor.expect(')', "after the bits of a NaN"));
  return std::bit_cast<T>(bits);
}

template <class T>
Result<T> read_special(Cursor& cursor) {
  const Token word = cursor.take();
  const bool is_negative = word.text.front() == '-';
  const char initial = word.text[is_negative ? 1 : 0];
  if (initial == 'n' || initial == 'N') return read_nan<T>(cursor, word);
  const T infinity = std::numeric_limits<T>::infinity();
  return is_negative ? -infinity : infinity;
}

}  // namespace

void append_real(std::string& out, float value) { append(out, value); }
void append_real(std::string& out, double value) { append(out, value); }

void append_real_with_point(std::string& out, float value) {
  const std::size_t start = out.size();
  append(out, value);
  if (out.find_first_not_of("-0123456789", start) == std::string::npos) out += ".0";
}

std::optional<std::int64_t> accept_integer(Cursor& cursor, std::int64_t smallest,
                                           std::int64_t largest) {
  if (!cursor.at(Token::Kind::integer)) return std::nullopt;
  const auto value = value_of<std::int64_t>(cursor.peek());
  if (!value || *value < smallest || *value > largest) return std::nullopt;
  cursor.take();
  return value;
}

Result<std::int64_t> read_integer(Cursor& cursor, std::string_view what, std::int64_t smallest,
                                  std::int64_t largest) {
  if (const auto value = accept_integer(cursor, smallest, largest)) return *value;
  const Token& token = cursor.peek();
  if (token.kind != Token::Kind::integer) return cursor.unexpected(what);
  return cursor.error(token.offset, std::string(token.text) + " is not " + std::string(what) +
                                        " (" + std::to_string(smallest) + " to " +
                                        std::to_string(largest) + ")");
}

Result<std::uint64_t> read_unsigned(Cursor& cursor, std::string_view what) {
  const Token& token = cursor.peek();
  if (token.kind != Token::Kind::integer) return cursor.unexpected(what);
  const auto value = value_of<std::uint64_t>(token);
  if (!value) return out_of_range(cursor, token, "uint64");
  cursor.take();
  return *value;
}

bool at_real(const Cursor& cursor) {
  return cursor.at(Token::Kind::real) ||
         (cursor.at(Token::Kind::word) && is_special_real(cursor.peek().text));
}

template <class T>
Result<T> read_real(Cursor& cursor) {
  if (!at_real(cursor) && !cursor.at(Token::Kind::integer)) return cursor.unexpected("a number");
  if (cursor.at(Token::Kind::word)) return read_special<T>(cursor);
  const auto value = value_of<T>(cursor.peek());
  if (!value) {
    return out_of_range(cursor, cursor.peek(), sizeof(T) == sizeof(float) ? "float" : "double");
  }
  cursor.take();
  return *value;
}

template Result<float> read_real<float>(Cursor& cursor);
template Result<double> read_real<double>(Cursor& cursor);

}  // namespace hone::syntax
