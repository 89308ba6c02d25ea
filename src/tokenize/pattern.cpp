#include "tokenize/pattern.h"

#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "tokenize/program.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

using Kind = PatternNode::Kind;
using Op = Instruction::Op;

constexpr std::size_t most_instructions = 5000;

Choice first_of(const PatternNode& node);

Choice first_of_sequence(const PatternNode& node) {
  Choice all{.may_be_empty = true};
  for (const PatternNode& child : node.children) {
    const Choice first = first_of(child);
    all.first_bytes |= first.first_bytes;
    if (first.may_be_empty) continue;
    all.may_be_empty = false;
    break;
  }
  return all;
}

// What a match of it may begin with.
Choice first_of(const PatternNode& node) {
  Choice all;
  switch (node.kind) {
    case Kind::set:
      return {.first_bytes = CharSet(node.ranges).first_bytes()};
    case Kind::sequence:
      return first_of_sequence(node);
    case Kind::choice:
      for (const PatternNode& child : node.children) {
        const Choice first = first_of(child);
        all.first_bytes |= first.first_bytes;
        all.may_be_empty = all.may_be_empty || first.may_be_empty;
      }
      return all;
    case Kind::repeat:
      all = first_of(node.children[0]);
      all.may_be_empty = all.may_be_empty || node.least == 0;
      return all;
    case Kind::atomic:
      return first_of(node.children[0]);
    default:
      return {.may_be_empty = true};
  }
}

// How many characters it takes, where that is the same for all matches.
std::optional<std::uint32_t> length_of(const PatternNode& node) {
  switch (node.kind) {
    case Kind::set:
      return 1;
    case Kind::sequence: {
      std::uint32_t sum = 0;
      for (const PatternNode& child : node.children) {
        const auto length = length_of(child);
        if (!length) return std::nullopt;
        sum += *length;
      }
      return sum;
    }
    case Kind::choice: {
      const auto first = length_of(node.children[0]);
      for (const PatternNode& child : node.children) {
        if (length_of(child) != first) return std::nullopt;
      }
      return first;
    }
    case Kind::repeat: {
      const auto one = length_of(node.children[0]);
      if (!one || node.least != node.most) return std::nullopt;
      return *one * node.least;
    }
    case Kind::atomic:
      return length_of(node.children[0]);
    default:
      return 0;
  }
}

class Compiler {
 public:
  Result<Program> compile(const PatternNode& tree) {
    program_.whole = first_of(tree);
    HONE_TRY_DO(put(tree));
    add({.op = Op::done});
    return std::move(program_);
  }

 private:
  std::uint32_t here() const { return static_cast<std::uint32_t>(program_.instructions.size()); }
  std::uint32_t add(Instruction instruction) {
    program_.instructions.push_back(instruction);
    return here() - 1;
  }
  Instruction& at(std::uint32_t pc) { return program_.instructions[pc]; }
  // The same set, which repetitions have many times, is there once.
  std::uint32_t add_set(const Ranges& ranges) {
    std::vector<std::pair<char32_t, char32_t>> key;
    for (const Range& range : ranges) key.emplace_back(range.first, range.last);
    const auto next = static_cast<std::uint32_t>(program_.sets.size());
    const auto [place, is_new] = sets_.try_emplace(std::move(key), next);
    if (is_new) program_.sets.emplace_back(ranges);
    return place->second;
  }

  Status put(const PatternNode& node);
  Status put_choice(const PatternNode& node);
  Status put_repeat(const PatternNode& node);
  Status put_loop(const PatternNode& node);
  Status put_optional(const PatternNode& node, std::uint32_t times);
  Status put_look(const PatternNode& node);
  Status put_inside(Instruction outer, const PatternNode& inner);

  Program program_{};
  std::map<std::vector<std::pair<char32_t, char32_t>>, std::uint32_t> sets_{};
};

Status Compiler::put(const PatternNode& node) {
  if (here() > most_instructions) {
    return fail(Fault::unsupported, "cannot use a regular expression of the tokenizer",
                "it takes more than 5000 instructions", "an expression with fewer repetitions");
  }
  switch (node.kind) {
    case Kind::empty:
      return done();
    case Kind::set:
      add({.op = Op::set, .a = add_set(node.ranges)});
      return done();
    case Kind::sequence:
      for (const PatternNode& child : node.children) HONE_TRY_DO(put(child));
      return done();
    case Kind::choice:
      return put_choice(node);
    case Kind::repeat:
      return put_repeat(node);
    case Kind::look:
      return put_look(node);
    case Kind::atomic:
      return put_inside({.op = Op::atomic}, node.children[0]);
    case Kind::assertion:
      add({.op = Op::assertion, .assertion = node.assertion});
      return done();
  }
  return done();
}

Status Compiler::put_choice(const PatternNode& node) {
  const auto first = static_cast<std::uint32_t>(program_.choices.size());
  const auto count = static_cast<std::uint32_t>(node.children.size());
  add({.op = Op::choose, .a = first, .b = count});
  program_.choices.resize(first + count);
  std::vector<std::uint32_t> jumps;
  for (std::uint32_t i = 0; i < count; ++i) {
    Choice choice = first_of(node.children[i]);
    choice.target = here();
    program_.choices[first + i] = choice;
    HONE_TRY_DO(put(node.children[i]));
    jumps.push_back(add({.op = Op::jump}));
  }
  for (const std::uint32_t jump : jumps) at(jump).a = here();
  return done();
}

Status Compiler::put_repeat(const PatternNode& node) {
  const PatternNode& inner = node.children[0];
  if (inner.kind == Kind::set) {
    add({.op = Op::repeat,
         .greed = node.greed,
         .a = add_set(inner.ranges),
         .least = node.least,
         .most = node.most});
    return done();
  }
  if (node.greed == Greed::possessive) {
    PatternNode greedy = node;
    greedy.greed = Greed::greedy;
    return put_inside({.op = Op::atomic}, greedy);
  }
  for (std::uint32_t i = 0; i < node.least; ++i) HONE_TRY_DO(put(inner));
  if (node.most == unbounded) return put_loop(node);
  return put_optional(node, node.most - node.least);
}

// Goes on with the body and, failing that, behind it; a lazy one the other way round.
Status Compiler::put_loop(const PatternNode& node) {
  const bool is_lazy = node.greed == Greed::lazy;
  const bool may_be_empty = first_of(node.children[0]).may_be_empty;
  const std::uint32_t begin = here();
  const std::uint32_t split = add({.op = Op::split});
  const std::uint32_t out = is_lazy ? add({.op = Op::jump}) : split;
  if (is_lazy) at(split).a = here();
  const std::uint32_t place = program_.registers;
  if (may_be_empty) {
    ++program_.registers;
    add({.op = Op::mark, .a = place});
  }
  HONE_TRY_DO(put(node.children[0]));
  if (may_be_empty) add({.op = Op::progress, .a = place});
  add({.op = Op::jump, .a = begin});
  at(out).a = here();
  return done();
}

Status Compiler::put_optional(const PatternNode& node, std::uint32_t times) {
  std::vector<std::uint32_t> outs;
  for (std::uint32_t i = 0; i < times; ++i) {
    const std::uint32_t split = add({.op = Op::split});
    if (node.greed == Greed::lazy) {
      outs.push_back(add({.op = Op::jump}));
      at(split).a = here();
    } else {
      outs.push_back(split);
    }
    HONE_TRY_DO(put(node.children[0]));
  }
  for (const std::uint32_t out : outs) at(out).a = here();
  return done();
}

Status Compiler::put_inside(Instruction outer, const PatternNode& inner) {
  const std::uint32_t pc = add(outer);
  HONE_TRY_DO(put(inner));
  add({.op = Op::done});
  at(pc).a = here();
  return done();
}

Status Compiler::put_look(const PatternNode& node) {
  const PatternNode& inner = node.children[0];
  if (!node.is_behind) {
    return put_inside({.op = Op::look, .is_negative = node.is_negative}, inner);
  }
  const auto length = length_of(inner);
  if (!length) {
    return fail(Fault::unsupported, "cannot use a regular expression of the tokenizer",
                "it looks behind for something whose length varies",
                "one lookbehind for each length");
  }
  return put_inside({.op = Op::behind, .is_negative = node.is_negative, .b = *length}, inner);
}

void find_literal(std::string_view literal, std::string_view text,
                  std::vector<Aligned::Part>& parts) {
  const auto place = [](std::size_t at) { return static_cast<std::uint32_t>(at); };
  std::size_t last = 0;
  while (!literal.empty()) {
    const std::size_t found = text.find(literal, last);
    if (found == std::string_view::npos) break;
    if (found > last) parts.push_back({place(last), place(found), false});
    last = found + literal.size();
    parts.push_back({place(found), place(last), true});
  }
  if (last < text.size()) parts.push_back({place(last), place(text.size()), false});
}

}  // namespace

Result<Program> compile_pattern(const PatternNode& tree) { return Compiler().compile(tree); }

Pattern::Pattern(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

Result<Pattern> Pattern::compile(std::string_view expression) {
  if (valid_prefix(expression) != expression.size()) {
    return fail(Fault::bad_input,
                "cannot read the regular expression '" + printable(expression) + "'",
                "it is no UTF-8");
  }
  HONE_TRY(const PatternNode tree, parse_pattern(expression));
  HONE_TRY(Program program, compile_pattern(tree));
  return Pattern(std::make_shared<const Program>(std::move(program)));
}

Pattern Pattern::literal(std::string_view text) {
  Program program;
  program.literal = text;
  return Pattern(std::make_shared<const Program>(std::move(program)));
}

Status Pattern::find_all(std::string_view text, std::vector<Aligned::Part>& parts) const {
  parts.clear();
  if (program_->instructions.empty()) {
    find_literal(program_->literal, text, parts);
    return done();
  }
  const auto place = [](std::size_t at) { return static_cast<std::uint32_t>(at); };
  Matcher matcher(*program_, text);
  std::size_t last = 0;
  std::size_t from = 0;
  bool has_matched = false;
  while (from <= text.size()) {
    HONE_TRY(const Match match, matcher.find(from));
    if (!match.is_found) break;
    // No empty match right behind the last one.
    if (match.begin == match.end && has_matched && match.end == last) {
      from += from < text.size() ? length_from(text[from]) : 1;
      continue;
    }
    if (match.begin > last) parts.push_back({place(last), place(match.begin), false});
    parts.push_back({place(match.begin), place(match.end), true});
    last = from = match.end;
    has_matched = true;
  }
  if (last < text.size()) parts.push_back({place(last), place(text.size()), false});
  return done();
}

}  // namespace hone::tokenize
