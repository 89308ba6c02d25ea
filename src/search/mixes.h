#pragma once
// Combinations: what is faster alone in different ways may be faster still together, or not at all.

#include <optional>
#include <vector>

#include "record/search.h"

namespace hone {

// The recipe with what both change in `base`; nothing where they change the same thing in
// different ways.
std::optional<Recipe> merge_recipes(const Recipe& base, const Recipe& first, const Recipe& second);

struct MixPart {
  const Hypothesis* hypothesis = nullptr;
  double score = 0;  // in ln t against the baseline; below 0, it is faster
};

// All pairs and, of three or more, all of them together; the most promising first, `most` at the
// most. What conflicts is left out.
std::vector<Hypothesis> mix(const Recipe& base, const std::vector<MixPart>& parts,
                            std::size_t most);

}  // namespace hone
