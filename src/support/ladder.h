#pragma once
// The goal ladder: what each tier must show, and what a whole ladder may say. Pure functions over
// what was measured, the same for who climbs and for who reviews.

#include <optional>
#include <string>
#include <vector>

#include "record/review.h"
#include "record/support.h"

namespace hone {

// What the numbers of a tier come to; the reason where that is no pass.
struct TierJudgement {
  TierVerdict verdict = TierVerdict::fail;
  std::string reason;
};

TierJudgement judge_structure(const StructureProof& proof);
// The first is the recipe's own target; what others ran does not stand in for it.
TierJudgement judge_runs(const std::vector<RunProof>& runs);
TierJudgement judge_parity(const ParityProof& proof);
TierJudgement judge_task(const TaskProof& proof);
// By what the tier has; a tier without its evidence fails.
TierJudgement judge_tier(const TierProof& tier);

// The least cosine between outputs and those of the model as it came: a float model computes the
// same but for rounding (0.999); 0.99 for fp16, 0.95 with activations of 16 bits, 0.90 below that.
double least_cosine_of(const Recipe& recipe);

// Whether the climb goes on after this verdict: a fail ends it, what is blocked does not.
bool goes_on(TierVerdict verdict);

// The highest tier that passed; none above L1 where the recipe's target did not run it.
std::optional<Tier> reached(const Ladder& ladder);

// What is held against it. Every line that does not hold has a citation.
std::vector<ReviewLine> check_ladder(const Ladder& ladder, const SupportClaim& claim,
                                     const RecipeFile& file);

}  // namespace hone
