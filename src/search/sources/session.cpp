// How the session runs: threads, spinning, memory, graph level. It changes no byte of the model, so
// these are the cheapest hypotheses of all.

#include <array>
#include <set>

#include "base/counted.h"
#include "base/text.h"
#include "search/proposing.h"

namespace hone::sources {
namespace {

struct Setting {
  std::string_view id;
  std::string_view key;
  std::string_view value;
  std::string_view title;
  std::string_view reason;
  Odds odds{.gain = 0.05, .chance = 0.1};
};

constexpr std::string_view denormal_key = "session.set_denormal_as_zero";

constexpr std::array settings = {
    Setting{"no-spinning", "session.intra_op.allow_spinning", "0", "threads sleep between runs",
            "spinning threads cost clock and heat"},
    Setting{"no-arena", "enable_cpu_mem_arena", "0", "no arena",
            "small models can be faster on the system's allocator"},
    Setting{"no-memory-pattern", "enable_mem_pattern", "0", "no memory pattern",
            "where shapes change, the pattern is planned for nothing"},
    Setting{"level-extended", "graph_optimization_level", "extended", "no layout optimizers",
            "another layout can cost more at its borders than it gains"},
    Setting{"level-basic", "graph_optimization_level", "basic", "basic optimizers alone",
            "fused operators are not always the faster ones"},
    Setting{"denormals-as-zero",
            denormal_key,
            "1",
            "denormals are zero",
            "denormal numbers take hundreds of cycles",
            {.gain = 0.5, .chance = 0.01}},
    Setting{"parallel", "execution_mode", "parallel", "branches run side by side",
            "branches that do not need each other can share the cores"},
};

// All up to eight; above, doubling: neighbours differ by less than the noise there.
std::set<std::int64_t> thread_counts(int cores) {
  std::set<std::int64_t> counts;
  constexpr int dense = 8;
  for (int threads = 1; threads <= cores; threads += threads < dense ? 1 : threads)
    counts.insert(threads);
  counts.insert(cores);
  return counts;
}

// All cores are what ONNX Runtime takes by itself. The shorter its operators are, the less there
// is to share out.
Odds thread_odds(const Insight& insight, std::int64_t threads) {
  if (threads >= insight.cores) return {.gain = 0.02, .chance = 0.1};
  constexpr double short_us = 50;
  const bool is_short = insight.mean_op_us && *insight.mean_op_us < short_us;
  if (threads == 1 && is_short) return {.gain = 0.3, .chance = 0.5};
  return {.gain = 0.1, .chance = 0.2};
}

// Denormal weights are evidence that nothing else comes near, and a try costs little.
Idea idea_of(const Setting& setting, const Insight& insight) {
  Idea idea{.id = std::string(setting.id),
            .title = std::string(setting.title),
            .reason = std::string(setting.reason),
            .odds = setting.odds};
  const GraphFeatures& features = insight.features;
  const bool is_denormal = setting.key == denormal_key && features.denormal_weights > 0;
  if (!is_denormal) return idea;
  idea.reason = format_count(features.denormal_weights) + " of " +
                counted(features.float_weights, "float weight") +
                " are denormal, and arithmetic with such numbers can take hundreds of cycles";
  // Where one in so many products needs the slow path, that takes as long as all others together.
  constexpr double products = 200;
  const double slow = products * static_cast<double>(features.denormal_weights) /
                      static_cast<double>(std::max<std::uint64_t>(features.float_weights, 1));
  idea.odds = {.gain = slow / (1 + slow), .chance = 0.8};
  return idea;
}

// The share of the nodes that the session's own threads compute; null: not known.
std::optional<double> share_of_cpu(const Insight& insight) {
  const Ep* ep = find_ep(insight.baseline.target.ep);
  const bool is_of_cpu = ep != nullptr ? ep->uses_session_threads : insight.device == "cpu";
  if (is_of_cpu) return 1;
  const auto taken = insight.placed_share ? insight.placed_share : insight.covered_share;
  return taken ? std::optional(1 - *taken) : std::nullopt;
}

// How much is thought of what changes the CPU's work: by its part of the model.
double weight_of_cpu(const Insight& insight) {
  constexpr double unknown = 0.3;
  return share_of_cpu(insight).value_or(unknown);
}

void propose_threads(const Insight& insight, HypothesisSet& into) {
  if (insight.cores <= 1) {
    skip(into, "session", "threads", "number of threads", "there is one core");
    return;
  }
  for (const std::int64_t threads : thread_counts(insight.cores)) {
    const std::string number = std::to_string(threads);
    Odds odds = thread_odds(insight, threads);
    odds.gain *= weight_of_cpu(insight);
    propose(into, insight, "session",
            {.id = "threads-" + number,
             .title = number + (threads == 1 ? " thread" : " threads"),
             .reason = "small operators cost more to share out than to compute",
             .odds = odds},
            [&](Recipe& recipe) { recipe.session.threads = threads; });
  }
}

void propose_sessions(const Insight& insight, HypothesisSet& into) {
  constexpr double next_to_nothing = 0.001;
  if (share_of_cpu(insight).value_or(1) < next_to_nothing) {
    skip(into, "session", "session", "how the CPU works",
         "the " + insight.device + " takes the whole model");
    return;
  }
  propose_threads(insight, into);
  for (const Setting& setting : settings) {
    Idea idea = idea_of(setting, insight);
    idea.odds.gain *= weight_of_cpu(insight);
    propose(into, insight, "session", std::move(idea), [&](Recipe& recipe) {
      recipe.session.options[std::string(setting.key)] = setting.value;
    });
  }
}

}  // namespace

HypothesisSource session() {
  return {.name = "session",
          .summary = "Threads, memory and graph level of the session",
          .propose = propose_sessions};
}

}  // namespace hone::sources
