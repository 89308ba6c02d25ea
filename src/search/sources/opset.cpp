// The model in another opset: newer ones have operators that kernels and optimizers know.

#include <algorithm>

#include "search/proposing.h"

namespace hone::sources {
namespace {

constexpr std::int64_t least = 17;
constexpr std::int64_t most = 21;
constexpr std::int64_t most_written = 23;  // of a checkpoint's graph

// A checkpoint is written in the opset; what is ONNX is converted to it.
void say_opset(Recipe& recipe, std::int64_t opset) {
  if (recipe.exporting) {
    recipe.exporting->opset = opset;
  } else {
    recipe.opset = opset;
  }
}

void propose_opsets(const Insight& insight, HypothesisSet& into) {
  const std::int64_t present =
      insight.baseline.opset.value_or(std::max(insight.features.opset, least));
  const std::int64_t last = insight.baseline.exporting ? most_written : most;
  for (std::int64_t opset = least; opset <= last; ++opset) {
    const std::string number = std::to_string(opset);
    const std::string id = "opset-" + number;
    const std::string title = "opset " + number;
    if (opset == present) {
      skip(into, "opset", id, title, "the baseline has it");
    } else if (opset < present) {
      skip(into, "opset", id, title,
           "the baseline is of opset " + std::to_string(present) + ", which can say all of it");
    } else if (insight.distinct_opsets && !insight.distinct_opsets->contains(opset)) {
      skip(into, "opset", id, title,
           "it is written with the operators of opset " + std::to_string(opset - 1));
    } else {
      propose(into, insight, "opset",
              {.id = id,
               .title = title,
               .reason = "newer operators than those of opset " + std::to_string(present),
               .predicted = "operators in their form of opset " + number,
               .odds = {.gain = 0.03, .chance = 0.1, .cost = 1.5}},
              [&](Recipe& recipe) { say_opset(recipe, opset); });
    }
  }
}

}  // namespace

HypothesisSource opset() {
  return {.name = "opset", .summary = "The model in a newer opset", .propose = propose_opsets};
}

}  // namespace hone::sources
