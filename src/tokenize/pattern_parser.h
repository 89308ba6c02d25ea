#pragma once
// Reads a regular expression into its tree.

#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "tokenize/program.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {

class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  Result<PatternNode> parse() {
    HONE_TRY(PatternNode tree, read_choice());
    if (!done()) return refuse("an unmatched )");
    return tree;
  }

 private:
  using Kind = PatternNode::Kind;
  static constexpr int deepest = 64;

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
    return fail(Fault::unsupported, "cannot read the regular expression '" + printable(text_) + "'",
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

}  // namespace hone::tokenize
