#pragma once
// What a recipe has that the baseline has not, in the words of the knowledge base, and whether
// those words say all of it.

#include <array>
#include <string_view>
#include <vector>

#include "record/finding.h"
#include "record/recipe.h"

namespace hone {

// Keys besides capabilities, precisions and session options: "skip_optimize", "optimize_rounds=0";
// "w8a8+per_channel", "w8a8+method=entropy"; "threads=2".
inline constexpr std::array<std::string_view, 2> optimize_words = {"skip_optimize",
                                                                   "optimize_rounds"};
inline constexpr std::array<std::string_view, 5> quantize_words = {"per_channel", "symmetric",
                                                                   "method", "preset", "overrides"};
inline constexpr std::string_view threads_word = "threads";

std::vector<Change> changes_of(const Recipe& baseline, const Recipe& recipe);

// Whether the baseline with this change and nothing else is the recipe. What it is calibrated with
// is data and no change; what is quantized is optimized before, as a build does it.
bool is_whole(const Recipe& baseline, const Change& change, const Recipe& recipe);

}  // namespace hone
