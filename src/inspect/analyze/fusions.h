#pragma once
// What the optimizer could do to a model: candidates for ONNX Runtime's optimizers by looking for
// them, for hone's own passes by running them on a copy.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "record/analyze.h"

namespace hone {

// What one of hone's passes would do.
struct DryRun {
  std::uint64_t rewrites = 0;
  std::vector<std::string> declined;               // reasons, each once
  std::map<std::string, std::int64_t> op_changes;  // op -> how many more
};
Result<DryRun> dry_run(std::string_view capability, const Model& model);

// The candidates of the model, most first. REQUIRES inferred types and nodes in topological order;
// what needs a type that is not known is no candidate.
Result<std::vector<FusionCandidate>> find_fusions(Model& model);

}  // namespace hone
