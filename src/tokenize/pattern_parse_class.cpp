// Classes and single characters of regular expressions.

#include "tokenize/pattern_class.h"
#include "tokenize/pattern_parser.h"
#include "tokenize/unicode.h"

namespace hone::tokenize {

std::optional<char32_t> PatternParser::read_hex(std::size_t least, std::size_t most) {
  std::size_t count = 0;
  char32_t code = 0;
  for (; count < most; ++count, ++at_) {
    const char c = peek();
    const bool is_digit = c >= '0' && c <= '9';
    const char small = static_cast<char>(c | 32);
    if (!is_digit && (small < 'a' || small > 'f')) break;
    code = code * 16 + static_cast<char32_t>(is_digit ? c - '0' : small - 'a' + 10);
  }
  if (count < least || code > last_character) return std::nullopt;
  return code;
}

// The character that an escape stands for; none where it stands for something else.
Result<std::optional<char32_t>> PatternParser::read_code_escape() {
  using Code = std::optional<char32_t>;
  const char c = peek();
  constexpr std::string_view letters = "nrtfvae";
  constexpr std::string_view codes = "\n\r\t\f\v\a\x1b";
  if (const std::size_t at = letters.find(c); c != '\0' && at != std::string_view::npos) {
    ++at_;
    return Code{static_cast<char32_t>(codes[at])};
  }
  if (c == 'x' || c == 'u') {
    ++at_;
    const bool is_braced = take("{");
    const std::size_t digits = c == 'u' ? 4 : 2;
    const auto code = is_braced ? read_hex(1, 8) : read_hex(c == 'u' ? 4 : 1, digits);
    if (!code || (is_braced && !take("}"))) return refuse("a code of a character that is none");
    return Code{code};
  }
  if (c == '0') {
    ++at_;
    return Code{char32_t{0}};
  }
  if (is_ascii_alphanumeric(static_cast<unsigned char>(c)) || done()) return Code{};
  return Code{next()};
}

Result<Ranges> PatternParser::read_property(bool is_negative) {
  std::string_view name = text_.substr(at_, 1);
  if (take("{")) {
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) return refuse("a \\p{ without its }");
    name = text_.substr(at_, end - at_);
    at_ = end + 1;
  } else {
    at_ += name.size();
  }
  if (name.substr(0, 1) == "^") {
    is_negative = !is_negative;
    name.remove_prefix(1);
  }
  const auto ranges = property_named(name);
  if (!ranges) return refuse("the property '" + printable(name) + "', which hone does not know");
  return is_negative ? negated(*ranges) : *ranges;
}

Result<std::optional<char32_t>> PatternParser::read_class_item(Ranges& items) {
  using Code = std::optional<char32_t>;
  if (take("[:")) {
    const bool is_negative = take("^");
    const std::size_t end = text_.find(":]", at_);
    if (end == std::string_view::npos) return refuse("a [: without its :]");
    const auto named = posix_class(text_.substr(at_, end - at_));
    if (!named) return refuse("a class [:...:] that hone does not know");
    at_ = end + 2;
    const Ranges ranges = is_negative ? negated(*named) : *named;
    items.insert(items.end(), ranges.begin(), ranges.end());
    return Code{};
  }
  if (take("[")) {
    if (++depth_ > deepest) return refuse("classes more than 64 deep");
    HONE_TRY(const Ranges ranges, read_class());
    --depth_;
    items.insert(items.end(), ranges.begin(), ranges.end());
    return Code{};
  }
  if (!take("\\")) return Code{next()};
  if (done()) return refuse("a \\ at its end");
  const char c = peek();
  Ranges ranges;
  if (c == 'p' || c == 'P') {
    ++at_;
    HONE_TRY(ranges, read_property(c == 'P'));
  } else if (const auto named = short_class(static_cast<char>(c | 32))) {
    ++at_;
    ranges = c >= 'a' ? *named : negated(*named);
  } else if (take("b")) {
    return Code{char32_t{8}};
  } else {
    HONE_TRY(const Code code, read_code_escape());
    if (!code) return refuse(std::string("\\") + c + " in a class");
    return code;
  }
  items.insert(items.end(), ranges.begin(), ranges.end());
  return Code{};
}

// Up to the ] or && that ends them.
Status PatternParser::read_class_items(Ranges& items) {
  bool is_first = true;
  while (!done() && (peek() != ']' || is_first) && text_.substr(at_, 2) != "&&") {
    is_first = false;
    HONE_TRY(const std::optional<char32_t> first, read_class_item(items));
    if (!first) continue;
    const bool is_range = peek() == '-' && peek(1) != ']' && at_ + 1 < text_.size() &&
                          text_.substr(at_ + 1, 2) != "&&" && peek(1) != '[';
    if (!is_range) {
      add(items, {*first, *first});
      continue;
    }
    ++at_;
    HONE_TRY(const std::optional<char32_t> last, read_class_item(items));
    if (!last) {  // [a-\d]: the hyphen is one
      add(items, {*first, *first});
      add(items, {'-', '-'});
      continue;
    }
    if (*last < *first) return refuse("a range that ends before it begins");
    add(items, {*first, *last});
  }
  tidy(items);
  return done() ? Status(refuse("a [ without its ]")) : hone::done();
}

Result<Ranges> PatternParser::read_class() {
  const bool is_negative = take("^");
  Ranges all;
  HONE_TRY_DO(read_class_items(all));
  // Case first: what is left out is left out in both.
  if (ignores_case_) all = closed_over_case(all);
  while (take("&&")) {
    Ranges more;
    if (peek() != ']') HONE_TRY_DO(read_class_items(more));
    all = intersected(all, ignores_case_ ? closed_over_case(more) : more);
  }
  if (!take("]")) return refuse("a [ without its ]");
  return is_negative ? negated(all) : all;
}

}  // namespace hone::tokenize
