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

// "1 place becomes", "2 places become"
std::string places_that(std::uint64_t count, const std::string& verb) {
  return places(count) + " " + verb + (count == 1 ? "s" : "");
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

// To build another model costs more than to open the same one in another way.
constexpr double build_cost = 1.5;

// What a trace shows of the operators that a capability takes away; null: nothing. A
// DequantizeLinear of a weight does the same work in every run.
std::optional<double> traced_share(const Insight& insight, const FusionCandidate& fusion) {
  const bool is_dequantize = fusion.capability.find("dequant") != std::string::npos;
  const auto all = insight.features.op_counts.find("DequantizeLinear");
  if (!is_dequantize || all == insight.features.op_counts.end() || all->second == 0)
    return std::nullopt;
  const auto hot = hot_share(insight, {"DequantizeLinear"});
  if (!hot) return std::nullopt;
  return *hot * static_cast<double>(insight.features.dequantized_weights) /
         static_cast<double>(all->second);
}

// The more of the graph a fusion changes, the earlier. What the trace shows counts for more.
Odds odds_of(const Insight& insight, const FusionCandidate& fusion) {
  if (const auto share = traced_share(insight, fusion))
    return {.gain = *share, .chance = 0.8, .cost = build_cost};
  const double nodes = std::max(static_cast<double>(insight.features.nodes), 1.0);
  constexpr double most = 0.2;
  const double gain = std::clamp(static_cast<double>(fusion.count) / nodes, 0.02, most);
  return {.gain = gain, .chance = 0.25, .cost = build_cost};
}

void propose_one(const Insight& insight, const FusionCandidate& fusion, HypothesisSet& into) {
  const std::string id = kebab(fusion.capability);
  if (is_taken_anyway(insight, fusion.capability)) {
    propose(into, insight, "optimize",
            {.id = "no-" + id,
             .title = "without " + id,
             .reason = "the baseline fuses " + places(fusion.count) + ", which may not pay",
             .predicted = places_that(fusion.count, "stay") + " unfused",
             .odds = {.gain = 0.05, .chance = 0.1, .cost = build_cost}},
            [&](Recipe& recipe) { recipe.optimize[fusion.capability] = false; });
    return;
  }
  const auto objection = insight.withheld.find(fusion.capability);
  if (objection != insight.withheld.end()) {
    skip(into, "optimize", id, id, objection->second);
    return;
  }
  const std::string predicted = fusion.makes.empty()
                                    ? places_that(fusion.count, "change")
                                    : places_that(fusion.count, "become") + " " + fusion.makes;
  std::string reason = places(fusion.count) + " to fuse";
  if (const auto share = traced_share(insight, fusion))
    reason += ", where " + percent_words(*share) + " of the traced time goes";
  propose(into, insight, "optimize",
          {.id = id,
           .title = id,
           .reason = reason,
           .predicted = predicted,
           .odds = odds_of(insight, fusion)},
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

// All that its parts may bring, for one build.
Odds bundle_odds(const Insight& insight, const std::vector<std::string>& capabilities) {
  Odds odds{.gain = 0, .chance = 0.3, .cost = build_cost};
  for (const FusionCandidate& fusion : insight.fusions)
    if (contains(capabilities, fusion.capability)) odds.gain += odds_of(insight, fusion).gain;
  odds.gain = std::min(odds.gain, 0.9);
  return odds;
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
           .odds = bundle_odds(insight, capabilities)},
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
    // On the CPU everything that is made runs, and parts may open the way for each other.
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
           .odds = {.gain = 0.05, .chance = 0.1, .cost = build_cost}},
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
