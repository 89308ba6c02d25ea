#pragma once
// What commands do of a composite: their own order for each part, one after the other, and one
// answer of all.

#include "flow/build.h"
#include "flow/inspect.h"
#include "flow/parts/folder.h"
#include "flow/perf.h"
#include "flow/recipe_choice.h"
#include "record/composite.h"

namespace hone {

Result<CompositeFacts> inspect_parts(const FoundParts& found, const InspectOrder& order,
                                     const Watch& watch);

// Sizes that were said are those of any part. Samples in files are of one model: refused.
Result<CompositePerf> measure_parts(const FoundParts& found, const PerfOrder& order,
                                    const PerfWatch& watch);

// Each part in a folder of its own in the output, by the recipe that suits it; one manifest and one
// receipt above them, which are written when all are there.
Result<CompositeReceipt> build_parts(const FoundParts& found, const BuildOrder& order,
                                     const RecipeWishes& wishes, const Watch& watch);

}  // namespace hone
