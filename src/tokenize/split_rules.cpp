#include "tokenize/split_rules.h"

#include <array>
#include <utility>

#include "tokenize/unicode.h"

namespace hone::tokenize {
namespace {

void merge_with_previous(std::vector<Aligned::Part>& parts) {
  std::size_t kept = 0;
  bool was_match = false;
  for (const Aligned::Part part : parts) {
    if (part.is_match && !was_match && kept > 0) {
      parts[kept - 1].end = part.end;
    } else {
      parts[kept++] = part;
    }
    was_match = part.is_match;
  }
  parts.resize(kept);
}

void merge_with_next(std::vector<Aligned::Part>& parts) {
  std::size_t first = parts.size();  // of those kept, which gather at the end
  bool was_match = false;
  for (std::size_t i = parts.size(); i-- > 0;) {
    const Aligned::Part part = parts[i];
    if (part.is_match && !was_match && first < parts.size()) {
      parts[first].begin = part.begin;
    } else {
      parts[--first] = part;
    }
    was_match = part.is_match;
  }
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(first));
}

void make_contiguous(std::vector<Aligned::Part>& parts) {
  std::size_t kept = 0;
  bool was_match = false;
  for (const Aligned::Part part : parts) {
    if (part.is_match == was_match && kept > 0) {
      parts[kept - 1].end = part.end;
    } else {
      parts[kept++] = part;
    }
    was_match = part.is_match;
  }
  parts.resize(kept);
}

constexpr std::uint16_t any = 0xFFFF;

std::uint16_t script_of(char32_t c) {
  static const std::uint16_t han = script_named("Han").value_or(any);
  static const std::uint16_t hiragana = script_named("Hiragana").value_or(any);
  static const std::uint16_t katakana = script_named("Katakana").value_or(any);
  if (c == 0x30FC) return han;
  if (c == ' ') return any;
  const CharacterRecord& record = record_of(c);
  // What no version had assigned counts for any script.
  if (record.category == static_cast<std::uint8_t>(Category::Cn)) return any;
  return record.script == hiragana || record.script == katakana ? han : record.script;
}

}  // namespace

std::optional<Behavior> behavior_named(std::string_view name) {
  constexpr std::array names{std::pair{"Removed", Behavior::removed},
                             std::pair{"Isolated", Behavior::isolated},
                             std::pair{"MergedWithPrevious", Behavior::merged_with_previous},
                             std::pair{"MergedWithNext", Behavior::merged_with_next},
                             std::pair{"Contiguous", Behavior::contiguous}};
  for (const auto& [known, behavior] : names) {
    if (known == name) return behavior;
  }
  return std::nullopt;
}

void put_parts(const Split& split, Behavior behavior, std::vector<Aligned::Part>& parts,
               std::vector<Split>& splits) {
  if (behavior == Behavior::merged_with_previous) merge_with_previous(parts);
  if (behavior == Behavior::merged_with_next) merge_with_next(parts);
  if (behavior == Behavior::contiguous) make_contiguous(parts);
  for (const Aligned::Part& part : parts) {
    if (part.begin == part.end || (behavior == Behavior::removed && part.is_match)) continue;
    splits.push_back({split.buffer, split.begin + part.begin, split.begin + part.end});
  }
}

void put_scripts(const Split& split, std::string_view text, std::vector<Split>& splits) {
  std::optional<std::uint16_t> last;
  std::optional<std::uint32_t> begin;
  std::uint32_t at = 0;
  while (at < text.size()) {
    const Character c = character_at(text, at);
    const std::uint16_t script = script_of(c.code);
    if (script != any && last != script) {
      if (begin && *begin < at) {
        splits.push_back({split.buffer, split.begin + *begin, split.begin + at});
      }
      begin = at;
    }
    if (script != any) last = script;
    at += c.length;
  }
  if (begin && *begin < at) {
    splits.push_back({split.buffer, split.begin + *begin, split.begin + at});
  }
}

}  // namespace hone::tokenize
