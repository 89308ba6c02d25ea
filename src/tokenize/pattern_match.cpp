#include <algorithm>

#include "tokenize/pattern.h"
#include "tokenize/program.h"
#include "tokenize/unicode.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

// A published expression takes some ten steps for a character. What takes a thousand for each, and
// a million more, is made to explode.
constexpr std::uint64_t steps_for_text(std::size_t size) {
  return 1'000'000 + 1000 * std::uint64_t{size};
}

// Word characters below U+0100 are those of ISO 8859-1, superscripts and fractions among them.
bool is_word_character(char32_t c) {
  const bool is_small_number = c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0xBC && c <= 0xBE);
  return is_small_number || is_word(c);
}

}  // namespace

Matcher::Matcher(const Program& program, std::string_view text)
    : program_(program),
      text_(text),
      registers_(program.registers, 0),
      steps_left_(steps_for_text(text.size())) {}

Result<Match> Matcher::find(std::size_t from) {
  for (std::size_t at = from; at <= text_.size();) {
    const bool may_begin =
        program_.whole.may_be_empty ||
        (at < text_.size() && program_.whole.first_bytes[static_cast<unsigned char>(text_[at])]);
    if (may_begin) {
      retreats_.clear();
      const std::size_t end = run(0, at);
      if (steps_left_ == 0) {
        return fail(Fault::unsupported, "cannot match a regular expression of the tokenizer",
                    "it takes more than a thousand steps for each byte of the text",
                    "shorter texts, or an expression without nested repetitions");
      }
      if (end != failed) return Match{true, at, end};
    }
    if (at == text_.size()) break;
    at += length_from(text_[at]);
  }
  return Match{};
}

std::size_t Matcher::run(std::uint32_t pc, std::size_t at) {
  const std::size_t base = retreats_.size();
  for (;;) {
    if (steps_left_ == 0) return failed;
    --steps_left_;
    if (program_.instructions[pc].op == Instruction::Op::done) {
      retreats_.resize(base);
      return at;
    }
    if (!step(pc, at) && !retreat(base, pc, at)) return failed;
  }
}

bool Matcher::step(std::uint32_t& pc, std::size_t& at) {
  const Instruction& instruction = program_.instructions[pc];
  using Op = Instruction::Op;
  switch (instruction.op) {
    case Op::set: {
      if (at >= text_.size()) return false;
      const Character c = character_at(text_, at);
      at += c.length;
      ++pc;
      return program_.sets[instruction.a].has(c.code);
    }
    case Op::repeat:
      return repeat(instruction, pc, at);
    case Op::choose:
      return choose(instruction, 0, pc, at);
    case Op::jump:
      pc = instruction.a;
      return true;
    case Op::split:
      retreats_.push_back({Retreat::Kind::go, instruction.a, at, 0});
      ++pc;
      return true;
    case Op::mark:
      retreats_.push_back({Retreat::Kind::restore, instruction.a, at, registers_[instruction.a]});
      registers_[instruction.a] = at;
      ++pc;
      return true;
    case Op::progress:
      return registers_[instruction.a] != at && (++pc, true);
    case Op::look:
    case Op::behind:
    case Op::atomic:
      return look(instruction, pc, at);
    case Op::assertion:
      ++pc;
      return holds(instruction.assertion, at);
    case Op::done:
      break;
  }
  return true;
}

bool Matcher::retreat(std::size_t base, std::uint32_t& pc, std::size_t& at) {
  while (retreats_.size() > base) {
    Retreat& last = retreats_.back();
    const Instruction& instruction = program_.instructions[last.pc];
    switch (last.kind) {
      case Retreat::Kind::go:
        pc = last.pc;
        at = last.at;
        retreats_.pop_back();
        return true;
      case Retreat::Kind::choose: {
        const auto from = static_cast<std::uint32_t>(last.limit);
        const std::uint32_t here = pc = last.pc;
        at = last.at;
        retreats_.pop_back();
        if (choose(program_.instructions[here], from, pc, at)) return true;
        break;
      }
      case Retreat::Kind::shorter:
        do {
          --last.at;
        } while (is_continuation(text_[last.at]));
        at = last.at;
        pc = last.pc + 1;
        if (last.at <= last.limit) retreats_.pop_back();
        return true;
      case Retreat::Kind::longer: {
        if (last.at >= text_.size() || last.limit == 0) {
          retreats_.pop_back();
          break;
        }
        const Character c = character_at(text_, last.at);
        if (!program_.sets[instruction.a].has(c.code)) {
          retreats_.pop_back();
          break;
        }
        last.at += c.length;
        --last.limit;
        at = last.at;
        pc = last.pc + 1;
        return true;
      }
      case Retreat::Kind::restore:
        registers_[last.pc] = last.limit;
        retreats_.pop_back();
        break;
    }
  }
  return false;
}

bool Matcher::repeat(const Instruction& instruction, std::uint32_t& pc, std::size_t& at) {
  const CharSet& set = program_.sets[instruction.a];
  const std::uint32_t most =
      instruction.greed == Greed::lazy ? instruction.least : instruction.most;
  std::uint32_t count = 0;
  std::size_t least_end = at;
  std::size_t here = at;
  while (count < most && here < text_.size()) {
    const auto byte = static_cast<unsigned char>(text_[here]);
    if (byte < 0x80) {
      if (!set.has_ascii(byte)) break;
      ++here;
    } else {
      const Character c = character_at(text_, here);
      if (!set.has(c.code)) break;
      here += c.length;
    }
    if (++count == instruction.least) least_end = here;
  }
  const std::uint64_t cost = count / 8;
  steps_left_ = steps_left_ > cost ? steps_left_ - cost : 0;
  if (count < instruction.least) return false;
  if (instruction.greed == Greed::greedy && here > least_end) {
    retreats_.push_back({Retreat::Kind::shorter, pc, here, least_end});
  }
  if (instruction.greed == Greed::lazy && instruction.most > count) {
    const std::size_t more =
        instruction.most == unbounded ? text_.size() : instruction.most - count;
    retreats_.push_back({Retreat::Kind::longer, pc, here, more});
  }
  at = here;
  ++pc;
  return true;
}

bool Matcher::choose(const Instruction& instruction, std::uint32_t from, std::uint32_t& pc,
                     std::size_t at) {
  const auto goes_on = [&](std::uint32_t i) {
    const Choice& choice = program_.choices[instruction.a + i];
    if (choice.may_be_empty) return true;
    return at < text_.size() && choice.first_bytes[static_cast<unsigned char>(text_[at])];
  };
  std::uint32_t i = from;
  while (i < instruction.b && !goes_on(i)) ++i;
  if (i == instruction.b) return false;
  std::uint32_t next = i + 1;
  while (next < instruction.b && !goes_on(next)) ++next;
  if (next < instruction.b) retreats_.push_back({Retreat::Kind::choose, pc, at, next});
  pc = program_.choices[instruction.a + i].target;
  return true;
}

bool Matcher::look(const Instruction& instruction, std::uint32_t& pc, std::size_t& at) {
  std::size_t from = at;
  if (instruction.op == Instruction::Op::behind) {
    for (std::uint32_t i = 0; i < instruction.b; ++i) {
      if (from == 0) {
        pc = instruction.a;
        return instruction.is_negative;
      }
      from -= character_before(text_, from).length;
    }
  }
  const std::size_t end = run(pc + 1, from);
  pc = instruction.a;
  if (instruction.op == Instruction::Op::atomic) {
    at = end;
    return end != failed;
  }
  return (end != failed) != instruction.is_negative;
}

bool Matcher::is_word_at(std::size_t at) const {
  return at < text_.size() && is_word_character(character_at(text_, at).code);
}

bool Matcher::holds(Assertion assertion, std::size_t at) const {
  const bool at_end = at == text_.size();
  const auto is_boundary = [&] {
    const bool before = at > 0 && is_word_character(character_before(text_, at).code);
    return before != is_word_at(at);
  };
  switch (assertion) {
    case Assertion::line_begin:
      return at == 0 || (text_[at - 1] == '\n' && !at_end);
    case Assertion::line_end:
      return at_end || text_[at] == '\n';
    case Assertion::text_begin:
      return at == 0;
    case Assertion::text_end:
      return at_end;
    case Assertion::text_end_or_newline:
      return at_end || (at + 1 == text_.size() && text_[at] == '\n');
    case Assertion::word_boundary:
      return is_boundary();
    case Assertion::no_word_boundary:
      return !is_boundary();
  }
  return false;
}

}  // namespace hone::tokenize
