#include "inspect/analyze/fusions.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "transform/capability.h"
#include "transform/optimize.h"

namespace hone {
namespace {

constexpr std::size_t most_nodes = 3;

FusionCandidate start(const Capability& capability, std::int64_t opset) {
  FusionCandidate candidate;
  candidate.capability = json_name(capability);
  candidate.makes = op_made_by(*capability.detection, opset);
  if (!capability.only_on.empty()) candidate.note = "acts on " + limit_of(capability);
  return candidate;
}

// A name each candidate can be found by in the model.
FusionCandidate found_by_looking(const Capability& capability, Model& model) {
  FusionCandidate candidate = start(capability, model.opset());
  const Rewriter look(model);
  const detect::Found found = capability.detection->find(look);
  candidate.count = found.size();
  for (const Node* node : found) {
    if (candidate.nodes.size() == most_nodes) break;
    candidate.nodes.push_back(node->name.empty() ? node->output(0)->name() : node->name);
  }
  return candidate;
}

Result<FusionCandidate> found_by_trying(const Capability& capability, const Model& model) {
  FusionCandidate candidate = start(capability, model.opset());
  HONE_TRY(const DryRun run, dry_run(capability.name, model));
  candidate.count = run.rewrites;
  if (!run.declined.empty()) candidate.note = "declined elsewhere: " + join(run.declined, "; ");
  return candidate;
}

}  // namespace

Result<DryRun> dry_run(std::string_view capability, const Model& model) {
  DryRun run;
  const Pass* pass = find_pass(capability);
  if (pass == nullptr) return run;
  Model copy = clone(model);
  HONE_TRY(const PassEffect effect, run_pass(*pass, copy));
  run.rewrites = effect.rewrites;
  std::set<std::string> reasons;
  for (const Declined& declined : effect.declined) reasons.insert(declined.reason);
  run.declined.assign(reasons.begin(), reasons.end());
  if (effect.rewrites > 0) run.op_changes = op_changes(model, copy);
  return run;
}

Result<std::vector<FusionCandidate>> find_fusions(Model& model) {
  std::vector<FusionCandidate> candidates;
  for (const Capability& capability : all_capabilities()) {
    if (!capability.detection) continue;
    FusionCandidate candidate;
    if (capability.detection->find != nullptr) {
      candidate = found_by_looking(capability, model);
    } else {
      HONE_TRY(candidate, found_by_trying(capability, model));
    }
    if (candidate.count > 0) candidates.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(candidates, std::greater<>(), &FusionCandidate::count);
  return candidates;
}

}  // namespace hone
