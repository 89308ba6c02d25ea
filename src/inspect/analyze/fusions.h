#pragma once
// What the optimizer could do to a model: candidates for ONNX Runtime's optimizers by looking for
// them, for hone's own passes by running them on a copy.

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inspect/analyze/detectors.h"
#include "model/model.h"
#include "record/analyze.h"

namespace hone {

// Whom a capability is for.
enum class Aim {
  everybody,
  accelerators,  // the CPU EP has a better way to do the same
};

struct Detector {
  std::string_view capability;  // kebab-case
  std::string_view makes{};     // the operator in the place of the nodes; empty: none that is new
  std::int64_t native_since =
      0;  // the opset it is ONNX's own from; 0: never, it is com.microsoft's
  Aim aim = Aim::everybody;
  detect::Found (*find)(const Rewriter& model) =
      nullptr;  // null: hone's pass of that name is tried
  // Larger fusions whose parts it would take away: with one of them on, it had better stay off.
  std::array<std::string_view, 2> yields_to{};
};

std::span<const Detector> all_detectors();
// By the name of its capability, in kebab-case or snake_case; null when there is none.
const Detector* find_detector(std::string_view capability);
// "Gelu", "com.microsoft.FusedConv": what it makes in a model of that opset.
std::string op_made_by(const Detector& detector, std::int64_t opset);

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
