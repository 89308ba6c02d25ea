#pragma once
// A regular expression: first as a tree, as it was read, then as instructions, as it is run.

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenize/char_set.h"

namespace hone::tokenize {

inline constexpr std::uint32_t unbounded = 0xFFFFFFFF;

enum class Greed { greedy, lazy, possessive };

enum class Assertion {
  line_begin,
  line_end,
  text_begin,
  text_end,
  text_end_or_newline,
  word_boundary,
  no_word_boundary
};

struct PatternNode {
  enum class Kind { empty, set, sequence, choice, repeat, look, atomic, assertion };
  Kind kind = Kind::empty;
  Ranges ranges{};                      // set
  std::vector<PatternNode> children{};  // sequence, choice; one for repeat, look, atomic
  std::uint32_t least = 0, most = 0;    // repeat
  Greed greed = Greed::greedy;
  bool is_behind = false, is_negative = false;  // look
  Assertion assertion = Assertion::line_begin;
};

Result<PatternNode> parse_pattern(std::string_view expression);

struct Choice {
  std::uint32_t target = 0;
  bool may_be_empty = false;
  std::bitset<256> first_bytes{};
};

struct Instruction {
  enum class Op : std::uint8_t {
    set,       // one character of sets[a]
    repeat,    // sets[a], least to most times, as greed says
    choose,    // choices[a] to choices[a + b], the first that goes on
    jump,      // to a
    split,     // goes on here, or, if that fails, at a
    mark,      // remembers the place in register a
    progress,  // fails where nothing was read since mark a
    look,      // what follows, to `done`, must match here (is_negative: must not); then at a
    behind,    // the same b characters before
    atomic,    // what follows, to `done`, and no second way; then at a
    assertion,
    done
  };
  Op op = Op::done;
  Greed greed = Greed::greedy;
  Assertion assertion = Assertion::line_begin;
  bool is_negative = false;
  std::uint32_t a = 0, b = 0;
  std::uint32_t least = 0, most = 0;
};

struct Program {
  std::vector<Instruction> instructions{};
  std::vector<CharSet> sets{};
  std::vector<Choice> choices{};
  std::uint32_t registers = 0;
  Choice whole{};  // what a match may begin with
  // Where the expression is a plain text, it is that, and there are no instructions.
  std::string literal{};
};

Result<Program> compile_pattern(const PatternNode& tree);

struct Match {
  bool is_found = false;
  std::size_t begin = 0, end = 0;
};

// Runs a program over one text; what it needs for that is kept for the next search.
class Matcher {
 public:
  Matcher(const Program& program, std::string_view text);
  // The first match that begins at `from` or later.
  Result<Match> find(std::size_t from);

 private:
  struct Retreat {
    enum class Kind : std::uint8_t { go, choose, shorter, longer, restore };
    Kind kind = Kind::go;
    std::uint32_t pc = 0;
    std::size_t at = 0;
    std::size_t limit = 0;  // shorter: the least place; choose: which is next; restore: the value
  };
  static constexpr std::size_t failed = static_cast<std::size_t>(-1);

  std::size_t run(std::uint32_t pc, std::size_t at);
  bool step(std::uint32_t& pc, std::size_t& at);
  bool retreat(std::size_t base, std::uint32_t& pc, std::size_t& at);
  bool repeat(const Instruction& instruction, std::uint32_t& pc, std::size_t& at);
  bool choose(const Instruction& instruction, std::uint32_t from, std::uint32_t& pc,
              std::size_t at);
  bool look(const Instruction& instruction, std::uint32_t& pc, std::size_t& at);
  bool holds(Assertion assertion, std::size_t at) const;
  bool is_word_at(std::size_t at) const;

  const Program& program_;
  std::string_view text_;
  std::vector<Retreat> retreats_{};
  std::vector<std::size_t> registers_{};
  std::uint64_t steps_left_;
};

}  // namespace hone::tokenize
