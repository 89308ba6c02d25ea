// Options of the EP, alone and with the precision they need or that needs them: what its file in
// kinds/eps says is worth a try.

#include "base/text.h"
#include "search/proposing.h"

namespace hone::sources {
namespace {

// "enable_cuda_graph=1", "fp16+enable_cuda_graph=1"
std::string id_of(const EpTry& attempt) {
  std::vector<std::string> words;
  if (!attempt.precision.empty()) words.emplace_back(attempt.precision);
  for (const EpSetting& option : attempt.options)
    words.push_back(std::string(option.name) + "=" + std::string(option.value));
  return join(words, "+");
}

void propose_try(const EpTry& attempt, const Insight& insight, HypothesisSet& into) {
  const std::string id = id_of(attempt);
  // What changes numbers goes through the gates of a precision, whatever comes with it.
  const std::string_view dimension = attempt.precision.empty() ? "provider" : "precision";
  const std::string objection = objection_to(attempt, insight);
  if (!objection.empty()) {
    skip(into, dimension, id, id, objection);
    return;
  }
  propose(into, insight, dimension,
          {.id = id,
           .title = id,
           .reason = std::string(attempt.reason),
           .odds = odds_of(attempt, insight)},
          [&](Recipe& recipe) {
            for (const EpSetting& option : attempt.options)
              recipe.target.options[std::string(option.name)] = option.value;
            if (!attempt.precision.empty())
              bring_to(*find_made_precision(attempt.precision), insight, recipe);
          });
}

void propose_options(const Insight& insight, HypothesisSet& into) {
  bool is_known = false;
  for (const EpTry* attempt : tries_of(insight)) {
    if (attempt->options.empty()) continue;  // a precision alone is of that source
    is_known = true;
    propose_try(*attempt, insight, into);
  }
  if (!is_known)
    skip(into, "provider", "provider-options", "options of the EP",
         "none is known to matter for " + insight.baseline.target.ep);
}

}  // namespace

HypothesisSource provider() {
  return {.name = "provider",
          .summary = "Options of the EP, and precisions that need them",
          .propose = propose_options};
}

}  // namespace hone::sources
