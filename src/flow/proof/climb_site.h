#pragma once
// Where the goal ladder is climbed, and what every tier of it needs there: the recipe built anew,
// and jobs in processes of their own.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "flow/watch.h"
#include "record/build.h"
#include "record/support.h"
#include "record/where.h"

namespace hone {

struct ClimbSite {
  RecipeFile file;
  Path model;  // as it came, with weights
  Path work;   // a folder that is there, for what is built and made
  Host host;
  std::vector<Target> also;  // targets to try besides the recipe's own
  bool races = true;         // L1: against the model as it came
  std::int64_t race_s = 60;  // at most
  std::chrono::seconds limit{1800};
  Watch watch;  // told what is about to be done
};

struct BuiltHere {
  BuildReceipt receipt;
  ArtifactList artifacts;  // files of the build, without the receipt
  Path model;
};

// Every stage anew: what a cache says is nobody's evidence.
Result<BuiltHere> build_anew(const ClimbSite& site);

// A compiled model shows no weights: what the compiler was given does.
Path model_with_weights(const ClimbSite& site, const BuiltHere& built);

// How the recipe's session runs on a target, on the host of the site.
Where where_on(const ClimbSite& site, const Target& target);

// What a model is, read in a process of its own.
Result<ModelFacts> facts_of(const Path& model, const Host& host);
// What the target makes of the source, without what differs from call to call.
Result<Json> coverage_of(const ClimbSite& site);
// Tool, ONNX Runtime, processor, cores, system.
Result<std::map<std::string, std::string>> site_facts(const ClimbSite& site);

}  // namespace hone
