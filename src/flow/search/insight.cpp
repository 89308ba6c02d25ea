#include "flow/search/insight.h"

#include <algorithm>

#include "base/machine.h"
#include "flow/analyze.h"
#include "flow/perf.h"
#include "flow/search/changes.h"
#include "inspect/analyze/features.h"
#include "knowledge/advice.h"
#include "pipeline/policy.h"
#include "record/machine_facts.h"
#include "runtime/ep_names.h"
#include "transform/capability.h"

namespace hone {
namespace {

Result<Analysis> analyze_apart(const SearchSite& site, const Recipe& baseline) {
  AnalyzeOrder order;
  order.model = site.model.string();
  order.where = where_in(site, baseline);
  give_inputs(site, order);
  constexpr double most = 0.3;  // of what is left
  return run_for(site, order, seconds_left(site) * most);
}

// Op types by their share of the time in operators, from 0 to 1.
std::map<std::string, double> hot_ops_of(const OpTrace& trace) {
  std::map<std::string, double> shares;
  for (const TraceOperator& op : trace.operators) shares[op.op_type] += op.percent_of_total / 100;
  return shares;
}

std::optional<double> mean_op_us_of(const OpTrace& trace) {
  if (trace.operators.empty()) return std::nullopt;
  double sum = 0;
  for (const TraceOperator& op : trace.operators) sum += op.duration_us;
  return sum / static_cast<double>(trace.operators.size());
}

std::optional<double> covered_share_of(const Analysis& analysis) {
  if (!analysis.coverage || analysis.coverage->counts.total() == 0) return std::nullopt;
  const CoverageCounts& counts = analysis.coverage->counts;
  return static_cast<double>(counts.supported) / static_cast<double>(counts.total());
}

// Of the nodes, those that ran on the target; nothing where nobody knows.
std::optional<double> placed_share_of(const PerfResult& measured) {
  if (!measured.placement || !measured.placement->known) return std::nullopt;
  const Placement& placement = *measured.placement;
  if (placement.total_nodes() == 0) return std::nullopt;
  const std::uint64_t own = placement.shares.empty() ? 0 : placement.shares.front().nodes;
  return static_cast<double>(own) / static_cast<double>(placement.total_nodes());
}

Result<PerfResult> measure_apart(const SearchSite& site, const Path& model, const Recipe& recipe,
                                 std::optional<TraceLevel> tracing) {
  PerfOrder order;
  order.model = model.string();
  order.iterations = 20;
  order.seed = site.seed;
  order.tracing = tracing;
  order.where = where_in(site, recipe);
  give_inputs(site, order);
  // To know where the time goes is worth a part of it; the measurement ends a little before its
  // process.
  constexpr double most = 0.2;
  constexpr double margin_s = 1;
  const double limit_s = seconds_left(site) * most;
  if (limit_s < unlimited_s)
    order.most_seconds = static_cast<std::int64_t>(std::max(limit_s - margin_s, 1.0));
  return run_for(site, order, limit_s);
}

std::string title_of(const std::vector<Finding>& findings, const std::string& id) {
  const auto found = std::ranges::find(findings, id, &Finding::id);
  return found != findings.end() ? found->title : std::string();
}

// Where the nodes of the baseline ran and what took their time.
void look_at_run(const SearchSite& site, const Recipe& baseline, bool traces, FoundInsight& found) {
  Insight& insight = found.insight;
  const bool is_cpu = ep_short_name(baseline.target.ep) == "cpu";
  if (!traces && is_cpu) return;
  const auto level = traces ? std::optional(TraceLevel::basic) : std::nullopt;
  auto measured = measure_apart(site, site.model, baseline, level);
  if (!measured) {
    found.notes.push_back(
        (traces ? "the model was not traced: " : "where its nodes run is not known: ") +
        measured.error().what);
    return;
  }
  insight.placed_share = placed_share_of(*measured);
  if (!traces) return;
  if (!measured->op_trace) {
    found.notes.emplace_back("the model was not traced: there is no trace of the model");
    return;
  }
  insight.hot_ops = hot_ops_of(*measured->op_trace);
  insight.mean_op_us = mean_op_us_of(*measured->op_trace);
  found.trace = *std::move(measured->op_trace);
}

}  // namespace

Result<OpTrace> trace_model(const SearchSite& site, const Path& model, const Recipe& recipe) {
  HONE_TRY(const PerfResult result, measure_apart(site, model, recipe, TraceLevel::basic));
  if (!result.op_trace) return fail(Fault::unsupported, "there is no trace of the model");
  return *result.op_trace;
}

Result<Placement> place_model(const SearchSite& site, const Path& model, const Recipe& recipe) {
  HONE_TRY(const PerfResult result, measure_apart(site, model, recipe, std::nullopt));
  if (!result.placement) return fail(Fault::unsupported, "the placement of the model is not known");
  return *result.placement;
}

Result<FoundInsight> find_insight(const SearchSite& site, const Recipe& baseline, bool traces) {
  FoundInsight found;
  auto analysis = analyze_apart(site, baseline);
  // Without it there is still something to try.
  const bool is_late =
      !analysis && analysis.error().fault == Fault::timeout && seconds_left(site) < unlimited_s;
  if (!analysis && !is_late) return fail(std::move(analysis).error());
  if (is_late) {
    found.notes.push_back("the model was not analyzed: " + analysis.error().what);
    found.analysis.target = baseline.target;
    HONE_TRY(const Model model, load_model(site.model));
    found.analysis.features = gather_features(model);
  } else {
    found.analysis = *std::move(analysis);
  }
  Insight& insight = found.insight;
  insight.features = found.analysis.features;
  insight.fusions = found.analysis.fusions;
  for (const Suggestion& suggestion : found.analysis.suggestions)
    insight.suggested.push_back(suggestion.capability);
  for (const Suggestion& suggestion : found.analysis.withheld)
    if (!suggestion.is_guess) insight.withheld.emplace(suggestion.capability, suggestion.why);
  insight.covered_share = covered_share_of(found.analysis);
  insight.cores = static_cast<int>(machine_of(read_machine()).cores);
  insight.device = usual_device(baseline.target);
  insight.compiles_ahead = compiles_ahead(baseline.target.ep);
  insight.quantize_preset = preset_for(baseline.target.ep);
  insight.baseline = baseline;
  insight.has_data = !site.task.empty() || !site.input_data.empty();
  for (const Capability& capability : all_capabilities())
    insight.all_capabilities.push_back(json_name(capability));
  look_at_run(site, baseline, traces, found);
  return found;
}

Situation situation_of(const FoundInsight& found, const SearchEnvironment& environment) {
  Situation situation = situation_of(found.analysis);
  situation.ort_version = environment.fact("ort_version");
  situation.ep_version = environment.fact("ep_version");
  return situation;
}

HypothesisAdvisor make_advisor(const std::vector<Finding>& findings, const Situation& situation,
                               const Recipe& baseline) {
  return [&findings, &situation, baseline](const Hypothesis& hypothesis) {
    AdviceOnHypothesis advice;
    for (const Change& change : changes_of(baseline, hypothesis.recipe)) {
      const bool is_all = is_whole(baseline, change, hypothesis.recipe);
      for (const FindingRuling& ruling : rule_on(findings, situation, change)) {
        if (ruling.does == RulingKind::nothing) continue;
        advice.priority_delta += ruling.priority_delta;
        advice.findings.push_back(ruling.finding);
        if (!advice.reason.empty()) advice.reason += "; ";
        advice.reason += ruling.finding + ", " + title_of(findings, ruling.finding);
        if (!ruling.why.empty()) advice.reason += ": " + ruling.why;
        // What it says of a part is no reason to leave the whole out.
        if (ruling.does == RulingKind::prunes && is_all) advice.pruned_by = ruling.finding;
      }
    }
    return advice;
  };
}

}  // namespace hone
