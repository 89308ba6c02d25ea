// Options of the EP, each with the values that are worth a try.

#include "search/proposing.h"

namespace hone::sources {
namespace {

void propose_options(const Insight& insight, HypothesisSet& into) {
  if (insight.provider_options.empty()) {
    skip(into, "provider", "provider-options", "options of the EP",
         "none is known to matter for " + insight.baseline.target.ep);
    return;
  }
  for (const auto& [name, values] : insight.provider_options) {
    for (const std::string& value : values) {
      propose(into, insight, "provider",
              {.id = name + "=" + value,
               .title = name + "=" + value,
               .reason = "an option of " + insight.baseline.target.ep + " that decides about speed",
               .priority = 3},
              [&](Recipe& recipe) { recipe.target.options[name] = value; });
    }
  }
}

}  // namespace

HypothesisSource provider() {
  return {.name = "provider", .summary = "Options of the EP", .propose = propose_options};
}

}  // namespace hone::sources
