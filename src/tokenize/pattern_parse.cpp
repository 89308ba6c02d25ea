#include <algorithm>
#include <optional>

#include "base/text.h"
#include "tokenize/pattern_class.h"
#include "tokenize/program.h"
#include "tokenize/unicode.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

constexpr int deepest = 64;
constexpr std::uint32_t most_repeats = 1000;

using Kind = PatternNode::Kind;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<PatternNode> parse() {
    HONE_TRY(PatternNode tree, read_choice());
    if (!done()) return refuse("an unmatched )");
    return tree;
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(std::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  char32_t next() {
    const Character c = character_at(text_, at_);
    at_ += c.length;
    return c.code;
  }
  Failure refuse(std::string_view what) const {
    return fail(Fault::unsupported,
                "cannot read the regular expression '" + printable(text_) + "'",
                "it has " + std::string(what),
                "an expression without it: hone knows Oniguruma's syntax but for back-references, "
                "\\X, \\K, \\G, conditions and calls");
  }

  Result<PatternNode> read_choice();
  Result<PatternNode> read_sequence();
  Result<PatternNode> read_atom();
  Result<PatternNode> read_group();
  Result<PatternNode> read_look(bool is_behind, bool is_negative);
  Result<PatternNode> read_flags();
  Result<PatternNode> read_escape();
  Result<PatternNode> read_quantifiers(PatternNode atom);
  bool read_bounds(std::uint32_t& least, std::uint32_t& most);
  Result<Ranges> read_class();
  Status read_class_items(Ranges& items);
  Result<std::optional<char32_t>> read_class_item(Ranges& items);
  Result<Ranges> read_property(bool is_negative);
  Result<std::optional<char32_t>> read_code_escape();
  std::optional<char32_t> read_hex(std::size_t least, std::size_t most);

  PatternNode set(Ranges ranges) const {
    if (ignores_case_) ranges = closed_over_case(ranges);
    PatternNode node;
    node.kind = Kind::set;
    node.ranges = std::move(ranges);
    return node;
  }
  static PatternNode assertion(Assertion which) {
    PatternNode node;
    node.kind = Kind::assertion;
    node.assertion = which;
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool ignores_case_ = false;
  bool dot_is_all_ = false;
};

Result<PatternNode> Parser::read_choice() {
  if (++depth_ > deepest) return refuse("groups more than 64 deep");
  const bool ignored = ignores_case_;
  const bool was_all = dot_is_all_;
  PatternNode choice;
  choice.kind = Kind::choice;
  do {
    HONE_TRY(PatternNode sequence, read_sequence());
    choice.children.push_back(std::move(sequence));
  } while (take("|"));
  ignores_case_ = ignored;
  dot_is_all_ = was_all;
  --depth_;
  if (choice.children.size() > 1) return choice;
  PatternNode only = std::move(choice.children.front());
  return only;
}

Result<PatternNode> Parser::read_sequence() {
  PatternNode sequence;
  sequence.kind = Kind::sequence;
  while (!done() && peek() != '|' && peek() != ')') {
    HONE_TRY(PatternNode atom, read_atom());
    HONE_TRY(PatternNode node, read_quantifiers(std::move(atom)));
    if (node.kind != Kind::empty) sequence.children.push_back(std::move(node));
  }
  return sequence;
}

Result<PatternNode> Parser::read_atom() {
  if (take("(")) return read_group();
  if (take("[")) {
    HONE_TRY(Ranges ranges, read_class());
    return set(std::move(ranges));
  }
  if (take("\\")) return read_escape();
  if (take(".")) {
    return set(dot_is_all_ ? Ranges{{0, last_character}} : negated({{'\n', '\n'}}));
  }
  if (take("^")) return assertion(Assertion::line_begin);
  if (take("$")) return assertion(Assertion::line_end);
  if (peek() == '*' || peek() == '+' || peek() == '?') {
    return refuse("a quantifier with nothing before it");
  }
  const char32_t c = next();
  return set({{c, c}});
}

Result<PatternNode> Parser::read_group() {
  if (!take("?")) {
    HONE_TRY(PatternNode group, read_choice());
    if (!take(")")) return refuse("a ( without its )");
    return group;
  }
  if (take("#")) {
    while (!done() && peek() != ')') ++at_;
    if (!take(")")) return refuse("a comment without its )");
    return PatternNode{};
  }
  if (take("=")) return read_look(false, false);
  if (take("!")) return read_look(false, true);
  if (take("<=")) return read_look(true, false);
  if (take("<!")) return read_look(true, true);
  const bool is_atomic = take(">");
  const bool is_named = !is_atomic && (peek() == '<' || peek() == '\'');
  if (is_named) {
    const char end = peek() == '<' ? '>' : '\'';
    ++at_;
    while (!done() && peek() != end) ++at_;
    ++at_;
  }
  if (!is_atomic && !is_named && !take(":")) return read_flags();
  HONE_TRY(PatternNode group, read_choice());
  if (!take(")")) return refuse("a ( without its )");
  if (!is_atomic) return group;
  PatternNode atomic;
  atomic.kind = Kind::atomic;
  atomic.children.push_back(std::move(group));
  return atomic;
}

Result<PatternNode> Parser::read_look(bool is_behind, bool is_negative) {
  HONE_TRY(PatternNode inner, read_choice());
  if (!take(")")) return refuse("a ( without its )");
  PatternNode look;
  look.kind = Kind::look;
  look.is_behind = is_behind;
  look.is_negative = is_negative;
  look.children.push_back(std::move(inner));
  return look;
}

// (?im-i:...) for a group, (?i) to the end of the one it stands in.
Result<PatternNode> Parser::read_flags() {
  const bool ignored = ignores_case_;
  const bool was_all = dot_is_all_;
  bool on = true;
  for (; peek() == 'i' || peek() == 'm' || peek() == '-'; ++at_) {
    if (peek() == '-') on = false;
    if (peek() == 'i') ignores_case_ = on;
    if (peek() == 'm') dot_is_all_ = on;
  }
  const bool is_group = take(":");
  if (!is_group && peek() != ')') return refuse("a group of an unknown kind");
  // Without a colon the rest of the group it stands in is its body.
  if (!is_group) ++at_;
  HONE_TRY(PatternNode group, read_choice());
  if (is_group) {
    ignores_case_ = ignored;
    dot_is_all_ = was_all;
    if (!take(")")) return refuse("a ( without its )");
  }
  return group;
}

std::optional<char32_t> Parser::read_hex(std::size_t least, std::size_t most) {
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
Result<std::optional<char32_t>> Parser::read_code_escape() {
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

Result<Ranges> Parser::read_property(bool is_negative) {
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

Result<PatternNode> Parser::read_escape() {
  if (done()) return refuse("a \\ at its end");
  const char c = peek();
  if (c == 'p' || c == 'P') {
    ++at_;
    HONE_TRY(Ranges ranges, read_property(c == 'P'));
    return set(std::move(ranges));
  }
  if (const auto ranges = short_class(static_cast<char>(c | 32)); ranges && c != '\0') {
    ++at_;
    return set(c >= 'a' ? *ranges : negated(*ranges));
  }
  constexpr std::string_view letters = "bBAzZ";
  constexpr Assertion assertions[] = {Assertion::word_boundary, Assertion::no_word_boundary,
                                      Assertion::text_begin, Assertion::text_end,
                                      Assertion::text_end_or_newline};
  if (const std::size_t at = letters.find(c); at != std::string_view::npos) {
    ++at_;
    return assertion(assertions[at]);
  }
  HONE_TRY(const std::optional<char32_t> code, read_code_escape());
  if (!code) return refuse(std::string("\\") + c + ", which hone does not match");
  return set({{*code, *code}});
}

Result<std::optional<char32_t>> Parser::read_class_item(Ranges& items) {
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
Status Parser::read_class_items(Ranges& items) {
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

Result<Ranges> Parser::read_class() {
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

// {n}, {n,}, {,m}, {n,m}; false: it is a brace like any other.
bool Parser::read_bounds(std::uint32_t& least, std::uint32_t& most) {
  const std::size_t begin = at_;
  const auto number = [&](std::uint32_t absent) {
    std::uint64_t value = 0;
    const std::size_t first = at_;
    for (; peek() >= '0' && peek() <= '9' && at_ - first < 9; ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(peek() - '0');
    }
    return at_ == first ? absent : static_cast<std::uint32_t>(value);
  };
  if (!take("{")) return false;
  const std::size_t digits = at_;
  least = number(0);
  const bool has_least = at_ > digits;
  most = least;
  if (take(",")) {
    const std::size_t second = at_;
    most = number(unbounded);
    if (!has_least && at_ == second) most = 0;
  } else if (!has_least) {
    at_ = begin;
    return false;
  }
  if (take("}") && (has_least || most != 0) && least <= most) return true;
  at_ = begin;
  return false;
}

Result<PatternNode> Parser::read_quantifiers(PatternNode atom) {
  for (int count = 0;; ++count) {
    PatternNode repeat;
    repeat.kind = Kind::repeat;
    bool is_bounds = false;
    if (take("*")) {
      repeat.most = unbounded;
    } else if (take("+")) {
      repeat.least = 1;
      repeat.most = unbounded;
    } else if (take("?")) {
      repeat.most = 1;
    } else if (peek() == '{' && read_bounds(repeat.least, repeat.most)) {
      is_bounds = true;
    } else {
      return atom;
    }
    if (count == 8) return refuse("more than eight quantifiers in a row");
    const bool is_too_many = repeat.most != unbounded && repeat.most > most_repeats;
    if (is_too_many || repeat.least > most_repeats) return refuse("a repetition of more than 1000");
    if (take("?")) {
      repeat.greed = Greed::lazy;
    } else if (!is_bounds && take("+")) {  // Ruby reads {2}+ as two quantifiers
      repeat.greed = Greed::possessive;
    }
    repeat.children.push_back(std::move(atom));
    atom = std::move(repeat);
  }
}

}  // namespace

Result<PatternNode> parse_pattern(std::string_view expression) {
  return Parser(expression).parse();
}

}  // namespace hone::tokenize
