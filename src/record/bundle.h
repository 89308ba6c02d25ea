#pragma once
// A contribution, all of it in memory.

#include "record/build.h"
#include "record/model_knowledge.h"
#include "record/support.h"

namespace hone {

// findings.json: what was learned, for the model's family.
struct BundleFindings {
  std::vector<ModelFinding> findings;
};
template <RecordOf<BundleFindings> Self>
void for_each_field(Self& findings, auto&& field) {
  field("findings", findings.findings, Presence::required);
}

struct Bundle {
  BundleManifest manifest;
  RecipeFile recipe;        // 1 recipe.json
  IndexRow index;           // 2 index.json
  ArtifactList artifacts;   // 3 artifacts.json
  BuildReceipt receipt;     // 4 receipt.json
  BundleFindings findings;  // 5 findings.json
  Json coverage;            // 6 coverage.json: the operators, by what the target takes
  SupportClaim claim;       // 7 claim.json
  Ladder ladder;            // 8 ladder.json
  MethodNotes notes;        // 9 notes.json
};

}  // namespace hone
