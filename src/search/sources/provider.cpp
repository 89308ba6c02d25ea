// Options of the EP, each with the values that are worth a try: what its file in kinds/eps says.

#include "kinds/ep.h"
#include "search/proposing.h"

namespace hone::sources {
namespace {

void propose_options(const Insight& insight, HypothesisSet& into) {
  const std::string& name = insight.baseline.target.ep;
  const Ep* ep = find_ep(name);
  bool is_known = false;
  for (const EpOption& option : ep != nullptr ? ep->options : std::vector<EpOption>()) {
    if (!option.device.empty() && option.device != insight.device) continue;
    is_known = true;
    const std::string id = std::string(option.name) + "=" + std::string(option.value);
    propose(
        into, insight, "provider",
        {.id = id,
         .title = id,
         .reason = std::string(option.reason),
         .odds = {.gain = 0.2, .chance = 0.3}},
        [&](Recipe& recipe) { recipe.target.options[std::string(option.name)] = option.value; });
  }
  if (!is_known)
    skip(into, "provider", "provider-options", "options of the EP",
         "none is known to matter for " + name);
}

}  // namespace

HypothesisSource provider() {
  return {.name = "provider", .summary = "Options of the EP", .propose = propose_options};
}

}  // namespace hone::sources
