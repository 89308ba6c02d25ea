// Fusions: each capability that finds something, alone and in packs, and those that the baseline
// takes by itself, left out.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "search/proposing.h"

namespace hone::sources {
namespace {

std::string kebab(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string places(std::uint64_t count) {
  return format_count(count) + (count == 1 ? " place" : " places");
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// The baseline's own rounds of suggestions switch it on, unless the recipe says no.
bool is_taken_anyway(const Insight& insight, const std::string& capability) {
  const auto flag = insight.baseline.optimize.find(capability);
  if (flag != insight.baseline.optimize.end()) return flag->second;
  return insight.baseline.optimize_rounds > 0 && contains(insight.suggested, capability);
}

// Most of the time is in what is fused: the more places, the earlier, but never before packs.
double priority_of(const FusionCandidate& fusion) {
  return 2 + std::min(static_cast<double>(fusion.count), 50.0) / 50;
}

void propose_one(const Insight& insight, const FusionCandidate& fusion, HypothesisSet& into) {
  const std::string id = kebab(fusion.capability);
  const auto objection = insight.withheld.find(fusion.capability);
  // On the CPU everything that is made runs, so that only its speed is in question.
  if (objection != insight.withheld.end() && insight.device != "cpu") {
    skip(into, "optimize", id, id, objection->second);
    return;
  }
  const std::string predicted = fusion.makes.empty()
                                    ? places(fusion.count) + " change"
                                    : places(fusion.count) + " become " + fusion.makes;
  if (is_taken_anyway(insight, fusion.capability)) {
    propose(into, insight, "optimize",
            {.id = "no-" + id,
             .title = "without " + id,
             .reason = "the baseline fuses " + places(fusion.count) + ", which may not pay",
             .predicted = places(fusion.count) + " stay as they are",
             .priority = priority_of(fusion) - 1},
            [&](Recipe& recipe) { recipe.optimize[fusion.capability] = false; });
    return;
  }
  propose(into, insight, "optimize",
          {.id = id,
           .title = id,
           .reason = places(fusion.count) + " to fuse",
           .predicted = predicted,
           .priority = priority_of(fusion)},
          [&](Recipe& recipe) { recipe.optimize[fusion.capability] = true; });
}

struct Pack {
  std::string_view id;
  std::vector<std::string_view> words;  // in the name of a capability
};

const std::array<Pack, 3>& packs() {
  static const std::array<Pack, 3> all = {
      Pack{"conv-pack", {"conv"}},
      Pack{"layer-norm-pack", {"layer_norm", "layernorm", "rmsnorm"}},
      Pack{"attention-pack", {"attention"}},
  };
  return all;
}

void propose_bundle(const Insight& insight, const std::string& id,
                    const std::vector<std::string>& capabilities, HypothesisSet& into) {
  if (capabilities.size() < 2) {
    skip(into, "optimize", id, id, "fewer than two of its fusions have something to fuse");
    return;
  }
  propose(into, insight, "optimize",
          {.id = id,
           .title = id,
           .reason = "fusions that open the way for each other",
           .predicted = join(capabilities, ", ") + " together",
           .priority = 4},
          [&](Recipe& recipe) {
            for (const std::string& capability : capabilities) recipe.optimize[capability] = true;
          });
}

std::vector<std::string> members_of(const Pack& pack, const Insight& insight) {
  std::vector<std::string> members;
  for (const FusionCandidate& fusion : insight.fusions) {
    const bool fits = std::ranges::any_of(pack.words, [&](std::string_view word) {
      return fusion.capability.find(word) != std::string::npos;
    });
    const bool is_withheld =
        insight.withheld.contains(fusion.capability) && insight.device != "cpu";
    if (fits && fusion.count > 0 && !is_withheld) members.push_back(fusion.capability);
  }
  return members;
}

void propose_fusions(const Insight& insight, HypothesisSet& into) {
  if (insight.baseline.skips_optimize) {
    skip(into, "optimize", "optimize", "fusions", "the baseline takes the model as it is");
    return;
  }
  for (const Pack& pack : packs())
    propose_bundle(insight, std::string(pack.id), members_of(pack, insight), into);
  propose_bundle(insight, "all-suggested", insight.suggested, into);
  propose(into, insight, "optimize",
          {.id = "no-suggestions",
           .title = "without what analysis suggests",
           .reason = "what is suggested for the target may not pay on this model",
           .priority = 2},
          [](Recipe& recipe) { recipe.optimize_rounds = 0; });
  for (const FusionCandidate& fusion : insight.fusions)
    if (fusion.count > 0) propose_one(insight, fusion, into);
  for (const std::string& capability : insight.all_capabilities) {
    const auto found = std::ranges::find(insight.fusions, capability, &FusionCandidate::capability);
    if (found == insight.fusions.end() || found->count == 0)
      skip(into, "optimize", kebab(capability), kebab(capability), "there is nothing to fuse");
  }
}

}  // namespace

HypothesisSource optimize() {
  return {.name = "optimize",
          .summary = "Fusions, alone, in packs and left out",
          .propose = propose_fusions};
}

}  // namespace hone::sources
