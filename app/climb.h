#pragma once
// Climbing the goal ladder: each tier is commands of this program in processes of their own, and
// what they answered. Who proves and who reviews climb with the same feet.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "app/where.h"
#include "record/build.h"
#include "record/support.h"

namespace hone::app {

struct ClimbSite {
  RecipeFile file;
  Path model;                // as it came, with weights
  Path work;                 // a folder that is there, for what is built and made
  Where where;               // --ort and --ep-library
  std::vector<Target> also;  // targets to try besides the recipe's own
  bool races = true;         // L1: against the model as it came
  std::int64_t race_s = 60;  // at most
  std::chrono::seconds limit{1800};
  std::function<void(const std::string& doing)> tell;
};

struct BuiltHere {
  BuildReceipt receipt;
  ArtifactList artifacts;  // files of the build, without the receipt
  Path model;
};

// Every stage anew: what a cache says is nobody's evidence.
Result<BuiltHere> build_anew(const ClimbSite& site);

// One tier. What fails there is the tier's verdict, never an error.
TierProof climb(Tier tier, const ClimbSite& site, const BuiltHere& built);
// L0 where the build itself failed.
TierProof fallen(const Error& error);

// What `hone inspect` says of a model.
Result<ModelFacts> facts_of(const Path& model);
// What `hone analyze` says of the source on the recipe's target, without what differs from call to
// call.
Result<Json> coverage_of(const ClimbSite& site);
// Tool, ONNX Runtime, processor, cores, system.
Result<std::map<std::string, std::string>> site_facts(const ClimbSite& site);

}  // namespace hone::app
