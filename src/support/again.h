#pragma once
// What a bundle says beside what was done again. On the same kind of machine with the same tools
// figures that differ are rejected; elsewhere they are sent back. What was not done again is sent
// back, too: nobody's word is taken for it.

#include <vector>

#include "record/bundle.h"
#include "record/review.h"

namespace hone {

// Where the measuring was done again.
struct ReviewSite {
  bool same_versions = false;  // of hone and ONNX Runtime
  bool same_machine = false;   // the same processor and number of cores; false: not named
};

// One tier, and what came of climbing it again.
std::vector<ReviewLine> compare_tier(const TierProof& claimed, const TierProof& again,
                                     const ReviewSite& site);
// What was built, file by file.
std::vector<ReviewLine> compare_artifacts(const ArtifactList& claimed, const ArtifactList& again,
                                          const ReviewSite& site);
// How it was built, stage by stage.
std::vector<ReviewLine> compare_receipts(const BuildReceipt& claimed, const BuildReceipt& again,
                                         const ReviewSite& site);
// What the target takes.
std::vector<ReviewLine> compare_coverage(const Json& claimed, const Json& again,
                                         const ReviewSite& site);

}  // namespace hone
