#pragma once
// Support for a model, for people: recipes, ladders, reviews, and the report of a bundle.

#include <string>
#include <vector>

#include "record/bundle.h"
#include "record/review.h"

namespace hone {

std::string describe_checked(const CheckedRecipes& checked);
std::string describe_recipe_file(const RecipeFile& file, const std::string& path);
std::string describe_ladder(const RecipeFile& file, const Ladder& ladder,
                            const std::string& bundle);
// All lines, or only those that do not hold.
std::string describe_reviews(const Reviews& reviews, bool all_lines);

// What a tier showed: "1.93 ms, all nodes on cpu, 0.61 [0.43, 0.86] of the time".
std::string evidence_text(const TierProof& tier);

// "cosine at least 0.99998 over 32 samples and 1 output; 0.950 are asked for"
std::string describe_parity(const ParityProof& proof);

// "cpu, sim/npu": the targets that ran it.
std::string ran_text(const Ladder& ladder);

// The report of a bundle. `doubts` are files that are not what its manifest says.
std::string bundle_markdown(const Bundle& bundle, const std::vector<std::string>& doubts = {});

}  // namespace hone
