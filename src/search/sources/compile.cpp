// Compiled ahead of time, or not, where the EP can.

#include "search/proposing.h"

namespace hone::sources {
namespace {

void propose_compiling(const Insight& insight, HypothesisSet& into) {
  if (!insight.compiles_ahead) {
    skip(into, "compile", "compile", "compiled ahead of time",
         insight.baseline.target.ep + " makes no compiled models");
    return;
  }
  if (!insight.baseline.compile) {
    propose(into, insight, "compile",
            {.id = "compile",
             .title = "compiled ahead of time",
             .reason = insight.baseline.target.ep + " can compile more than it does at load time",
             .predicted = "EPContext nodes",
             .odds = {.gain = 0.2, .chance = 0.4, .cost = 2}},
            [](Recipe& recipe) { recipe.compile.emplace(); });
    return;
  }
  propose(into, insight, "compile",
          {.id = "no-compile",
           .title = "compiled when it is loaded",
           .reason = "a compiled model is fixed to what was known when it was made",
           .predicted = "no EPContext nodes",
           .odds = {.gain = 0.05, .chance = 0.1, .cost = 2}},
          [](Recipe& recipe) { recipe.compile.reset(); });
}

}  // namespace

HypothesisSource compile() {
  return {
      .name = "compile", .summary = "Compiled ahead of time, or not", .propose = propose_compiling};
}

}  // namespace hone::sources
