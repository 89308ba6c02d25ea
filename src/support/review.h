#pragma once
// The reviewer's rules: what a bundle says by itself, and what it says beside what was measured
// again. What cannot be checked is sent back; what is not what it says is rejected.

#include <span>
#include <vector>

#include "support/bundle.h"

namespace hone {

// What can be seen without running anything.
std::vector<ReviewLine> check_bundle(const Bundle& bundle);

// What of a bundle may not be used before somebody has read it: options of EPs name libraries to
// load, options of sessions files to write, and paths lead anywhere. Empty: nothing.
std::vector<std::string> risks_of(const Bundle& bundle);

// Where the measuring was done again.
struct ReviewSite {
  bool same_versions = false;  // of hone and ONNX Runtime
  bool same_machine = false;   // the same processor and number of cores
};

// One tier, and what came of climbing it again.
std::vector<ReviewLine> compare_tier(const TierProof& claimed, const TierProof& again,
                                     const ReviewSite& site);
// What was built, file by file.
std::vector<ReviewLine> compare_artifacts(const ArtifactList& claimed, const ArtifactList& again,
                                          const ReviewSite& site);

ReviewVerdict verdict_of(std::span<const ReviewLine> lines);

}  // namespace hone
