#pragma once
// What becomes of the parts of a text that a pattern found, and of those between them.

#include <optional>
#include <string_view>
#include <vector>

#include "tokenize/scratch.h"

namespace hone::tokenize {

enum class Behavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

// "Removed", "MergedWithPrevious", ...
std::optional<Behavior> behavior_named(std::string_view name);

// Appends the splits that `parts` of `split` make. Parts are changed.
void put_parts(const Split& split, Behavior behavior, std::vector<Aligned::Part>& parts,
               std::vector<Split>& splits);

// Runs of one script, as SentencePiece tells them apart.
void put_scripts(const Split& split, std::string_view text, std::vector<Split>& splits);

}  // namespace hone::tokenize
