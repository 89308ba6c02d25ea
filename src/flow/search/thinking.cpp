#include "flow/search/thinking.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "checkpoint/distinct_opsets.h"
#include "flow/export/export.h"
#include "flow/export/source.h"
#include "flow/search/collect.h"
#include "flow/static_shapes.h"
#include "knowledge/store.h"

namespace hone {
namespace {

std::optional<Path> knowledge_of(const SearchOrder& order) {
  return order.knowledge.empty() ? std::nullopt : std::optional<Path>(order.knowledge);
}

std::string labelled(const std::string& label, const std::string& id) {
  return label.empty() ? id : label + ":" + id;
}

// Ids of this target, as it calls them itself.
std::vector<std::string> ids_on(const SearchTarget& target, const std::vector<std::string>& only) {
  if (target.label.empty()) return only;
  std::vector<std::string> ids;
  const std::string prefix = target.label + ":";
  for (const std::string& id : only)
    if (id.starts_with(prefix)) ids.push_back(id.substr(prefix.size()));
  return ids;
}

// The sizes of a checkpoint's inputs, where all of them were said.
std::optional<InputShapes> said_sizes(const ThinkingOrder& asked, const SearchTarget& target,
                                      const Recipe& baseline) {
  const std::string& said = asked.order.shape_config;
  if (!baseline.exporting || said.empty()) return std::nullopt;
  auto sizes = settle_static_shapes(target.where, {asked.site.model, said, {}});
  if (!sizes || sizes->empty()) return std::nullopt;
  return *std::move(sizes);
}

// Null where it is no checkpoint, or that cannot be told.
std::optional<std::set<std::int64_t>> opsets_to_try(const std::string& checkpoint,
                                                    const Recipe& baseline) {
  if (!baseline.exporting) return std::nullopt;
  const std::string& name = baseline.exporting->form;
  const auto source = find_checkpoint(checkpoint);
  const auto form = form_named(name);
  if (!source || !form) return std::nullopt;
  auto distinct = distinct_opsets(source->folder, source->weights_file, *form,
                                  {usual_opset(name), newest_written_opset});
  return distinct ? std::optional(*std::move(distinct)) : std::nullopt;
}

void become_target(const SearchTarget& target, Hypothesis& baseline) {
  // Before everything that is tried there.
  constexpr double first = 100;
  const Target& place = baseline.recipe.target;
  baseline.id = target.label;
  baseline.dimension = "target";
  baseline.title = "the recipe as it is, on " + place.ep + "/" + place.device;
  baseline.reason = "another target";
  baseline.priority = first;
}

}  // namespace

Result<TargetThoughts> think_of(const ThinkingOrder& asked, const SearchTarget& target,
                                const Recipe& baseline, const BuiltModel& built, bool traces) {
  TargetThoughts thoughts;
  thoughts.target = target;
  thoughts.baseline = baseline;
  SearchSite looked_at = asked.site;
  looked_at.model = built.model;
  HONE_TRY(thoughts.found, find_insight(looked_at, baseline, traces));
  const std::string& overrides = asked.order.overrides;
  if (!overrides.empty()) {
    HONE_TRY_DO(read_file(overrides));  // before anything is tried
    thoughts.found.insight.overrides = overrides;
  }
  thoughts.found.insight.said_sizes = said_sizes(asked, target, baseline);
  thoughts.found.insight.distinct_opsets = opsets_to_try(asked.site.given, baseline);
  HONE_TRY(thoughts.environment, find_environment(target.where, baseline.target));
  HONE_TRY(const std::vector<Finding> findings, load_knowledge(knowledge_of(asked.order)));
  const Situation situation = situation_of(thoughts.found, thoughts.environment);
  const bool is_first = target.label.empty();
  const HypothesisRequest request{
      .insight = thoughts.found.insight,
      .advisor = make_advisor(findings, situation, baseline),
      .recipes = is_first ? asked.order.recipes : std::vector<std::string>(),
      .only = ids_on(target, asked.order.only),
      .calibration_data = asked.calibration_data};
  HONE_TRY(thoughts.proposed, collect_hypotheses(request));
  return thoughts;
}

HypothesisSet join_targets(const std::vector<TargetThoughts>& thoughts) {
  HypothesisSet all;
  for (const TargetThoughts& one : thoughts) {
    const std::string& label = one.target.label;
    for (Hypothesis hypothesis : one.proposed.hypotheses) {
      const bool is_home = hypothesis.dimension == "baseline" && !label.empty();
      hypothesis.id = labelled(label, hypothesis.id);
      if (is_home) become_target(one.target, hypothesis);
      all.hypotheses.push_back(std::move(hypothesis));
    }
    for (SkippedHypothesis skip : one.proposed.skips) {
      skip.id = labelled(label, skip.id);
      all.skips.push_back(std::move(skip));
    }
  }
  std::stable_sort(
      all.hypotheses.begin() + 1, all.hypotheses.end(),
      [](const Hypothesis& a, const Hypothesis& b) { return a.priority > b.priority; });
  return all;
}

SearchEnvironment join_environments(const std::vector<TargetThoughts>& thoughts) {
  SearchEnvironment joined = thoughts.front().environment;
  if (thoughts.size() == 1) return joined;
  Sha256 hash;
  std::vector<std::string> eps;
  for (const TargetThoughts& one : thoughts) {
    hash.add_field(one.environment.key);
    eps.push_back(one.environment.fact("ep"));
  }
  joined.key = hash.finish().hex();
  joined.facts["ep"] = join(eps, ", ");
  return joined;
}

}  // namespace hone
