#pragma once
// Which capabilities are worth switching on for a target.

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inspect/coverage/rules.h"
#include "model/model.h"
#include "record/analyze.h"

namespace hone {

// What the target makes of an operator; the domain is empty for ONNX's own.
using OpSupport = std::function<Support(std::string_view op, std::string_view domain)>;

// By the rules that speak of the operator in models of that opset: what one form of it is enough
// for. Null rules know nothing.
OpSupport support_by(const NamedRules* rules, std::string device, std::int64_t opset);

struct SuggestedCapabilities {
  std::vector<Suggestion> suggestions;
  std::vector<Suggestion> withheld;  // each with the reason why not
};

// Of the candidates: those whose operators the target takes, or is not known to refuse.
SuggestedCapabilities suggest(const std::vector<FusionCandidate>& fusions, const Target& target,
                              const OpSupport& support);

// Passes that take away operators the target refuses and add none that it refuses.
Result<std::vector<Suggestion>> find_remedies(const Model& model, const CoverageFacts& coverage,
                                              const OpSupport& support);

}  // namespace hone
