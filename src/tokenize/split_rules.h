#pragma once
// What becomes of the parts of a text that a pattern found, and of those between them.

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenize/scratch.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {

enum class Behavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

// "Removed", "MergedWithPrevious", ...
std::optional<Behavior> behavior_named(std::string_view name);

// Appends the splits that `parts` of `split` make. Parts are changed.
void put_parts(const Split& split, Behavior behavior, std::vector<Aligned::Part>& parts,
               std::vector<Split>& splits);

// Splits the text of each split that is no added token by itself.
template <class Splitter>
Status split_each(Scratch& scratch, Splitter splitter) {
  scratch.next.clear();
  for (const Split& split : scratch.splits) {
    if (split.added != no_id) {
      scratch.next.push_back(split);
      continue;
    }
    HONE_TRY_DO(splitter(split));
  }
  scratch.splits.swap(scratch.next);
  return done();
}

template <class IsMatch>
void find_characters(std::string_view text, IsMatch is_match, std::vector<Aligned::Part>& parts) {
  parts.clear();
  std::uint32_t last = 0;
  for (std::uint32_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (is_match(c.code)) {
      if (last < at) parts.push_back({last, at, false});
      last = at + c.length;
      parts.push_back({at, last, true});
    }
    at += c.length;
  }
  const auto end = static_cast<std::uint32_t>(text.size());
  if (last < end) parts.push_back({last, end, false});
}

// Runs of one script, as SentencePiece tells them apart.
void put_scripts(const Split& split, std::string_view text, std::vector<Split>& splits);

}  // namespace hone::tokenize
