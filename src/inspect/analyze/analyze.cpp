#include "inspect/analyze/analyze.h"

#include <algorithm>

#include "inspect/analyze/features.h"
#include "inspect/analyze/fusions.h"
#include "inspect/analyze/integer_kernels.h"
#include "inspect/analyze/qdq.h"
#include "inspect/analyze/suggest.h"
#include "inspect/coverage/coverage.h"
#include "model/edit.h"
#include "runtime/ep_names.h"
#include "runtime/infer.h"

namespace hone {
namespace {

Support support_by_placement(const Placement& placement, const std::string& ep) {
  const double share = placement.share_of(ep).value_or(0);
  if (share == 1) return Support::supported;
  return share == 0 ? Support::unsupported : Support::partial;
}

Support support_by_rules(const CoverageCounts& counts) {
  if (counts.unsupported > 0) return Support::unsupported;
  if (counts.partial > 0) return Support::partial;
  return counts.unknown > 0 || counts.total() == 0 ? Support::unknown : Support::supported;
}

void add_new(std::vector<Suggestion> more, std::vector<Suggestion>& all) {
  for (Suggestion& suggestion : more) {
    const auto same = std::ranges::find(all, suggestion.capability, &Suggestion::capability);
    if (same != all.end()) {
      if (suggestion.is_remedy) same->is_remedy = true;
    } else {
      all.push_back(std::move(suggestion));
    }
  }
}

// What the rules say of the model's nodes, and what was found out by running the others.
Result<CoverageFacts> cover_nodes(const TransformTools& tools, const Model& model,
                                  const AnalyzeJob& job) {
  const CoverageQuestion question{.ep = ep_short_name(job.target.ep),
                                  .device = job.target.device,
                                  .ort_version = tools.runtime->version()};
  CoverageFacts facts = cover(model, job.rules, question);
  if (job.probe) HONE_TRY_DO(job.probe(model, facts));
  return facts;
}

Status add_advice(const Model& model, const AnalyzeJob& job, Analysis& analysis) {
  const OpSupport support = support_by(job.rules, analysis.coverage->device, model.opset());
  SuggestedCapabilities advice = suggest(analysis.fusions, job.target, support);
  analysis.suggestions = std::move(advice.suggestions);
  analysis.withheld = std::move(advice.withheld);
  HONE_TRY(std::vector<Suggestion> remedies, find_remedies(model, *analysis.coverage, support));
  add_new(std::move(remedies), analysis.suggestions);
  return done();
}

}  // namespace

Result<Analysis> analyze(const TransformTools& tools, const Model& model, const AnalyzeJob& job) {
  Analysis analysis;
  analysis.target = job.target;
  Model copy = clone(model);
  HONE_TRY_DO(sort_topologically(*copy.graph));
  tools.progress("inferring shapes");
  const Status inferred = infer_types(tools.runtime, tools.probe_library, copy);
  if (!inferred) analysis.notes.push_back("shapes are not known: " + inferred.error().what);
  tools.progress("looking for fusions");
  analysis.features = gather_features(copy);
  analysis.dynamic_axes = list_dynamic_axes(model);
  analysis.qdq_problems = check_qdq(copy);
  HONE_TRY(analysis.fusions, find_fusions(copy));
  HONE_TRY(analysis.coverage, cover_nodes(tools, copy, job));
  HONE_TRY_DO(add_advice(copy, job, analysis));
  const bool is_quantized =
      !count_quantized_floats(model).empty() || !count_integer_ops(model).empty();
  if (job.looks_at_kernels && is_quantized && ep_short_name(job.target.ep) == "cpu") {
    analysis.integer_kernels = find_integer_kernels(tools, model);
  }
  settle_support(analysis);
  return analysis;
}

Placement find_placement(const RunPlan& plan, const Path& program, const WorkerLimits& limits) {
  Placement unknown;
  auto worker = Worker::start(program, limits);
  if (!worker) {
    unknown.reason = worker.error().what;
    return unknown;
  }
  auto opened = worker->open(plan);
  if (opened) return std::move(opened->placement);
  unknown.reason = opened.error().what;
  return unknown;
}

void settle_support(Analysis& analysis) {
  if (analysis.placement && analysis.placement->known && analysis.placement->total_nodes() > 0) {
    analysis.support = support_by_placement(*analysis.placement, ep_short_name(analysis.target.ep));
  } else if (analysis.coverage) {
    analysis.support = support_by_rules(analysis.coverage->counts);
  } else {
    analysis.support = Support::unknown;
  }
}

}  // namespace hone
