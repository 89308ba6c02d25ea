#include <algorithm>
#include <optional>

#include "tokenize/pattern_class.h"
#include "tokenize/pattern_parser.h"
#include "tokenize/program.h"
#include "tokenize/unicode.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

constexpr std::uint32_t most_repeats = 1000;

}  // namespace

Result<PatternNode> PatternParser::read_choice() {
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

Result<PatternNode> PatternParser::read_sequence() {
  PatternNode sequence;
  sequence.kind = Kind::sequence;
  while (!done() && peek() != '|' && peek() != ')') {
    HONE_TRY(PatternNode atom, read_atom());
    HONE_TRY(PatternNode node, read_quantifiers(std::move(atom)));
    if (node.kind != Kind::empty) sequence.children.push_back(std::move(node));
  }
  return sequence;
}

Result<PatternNode> PatternParser::read_atom() {
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

Result<PatternNode> PatternParser::read_group() {
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

Result<PatternNode> PatternParser::read_look(bool is_behind, bool is_negative) {
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
Result<PatternNode> PatternParser::read_flags() {
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

Result<PatternNode> PatternParser::read_escape() {
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

// {n}, {n,}, {,m}, {n,m}; false: it is a brace like any other.
bool PatternParser::read_bounds(std::uint32_t& least, std::uint32_t& most) {
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

Result<PatternNode> PatternParser::read_quantifiers(PatternNode atom) {
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

Result<PatternNode> parse_pattern(std::string_view expression) {
  return PatternParser(expression).parse();
}

}  // namespace hone::tokenize
