#include "flow/analyze.h"

#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/static_shapes.h"
#include "flow/transform_tools.h"
#include "inspect/analyze/analyze.h"
#include "inspect/coverage/probe_ops.h"
#include "pipeline/policy.h"
#include "runtime/ep_names.h"
#include "runtime/target.h"
#include "transform/fix_shapes.h"

namespace hone {
namespace {

Result<RunPlan> make_plan(const AnalyzeOrder& order, const GivenModel& given) {
  HONE_TRY(RunPlan plan, plan_of(given));
  plan.input_data = order.input_data;
  plan.shape_config = order.shape_config;
  plan.samples = 1;
  return plan;
}

OpProbeJob probe_job(const AnalyzeOrder& order, const RunPlan& plan, const Watch& watch) {
  OpProbeJob job;
  job.run = plan;
  job.program = order.where.host.program;
  job.limits.open = std::chrono::seconds(order.timeout_s);
  job.progress = [&watch](const std::string& what) { watch.step(what); };
  return job;
}

// A model that is not opened needs inputs that could be meant, and no more.
Result<SettledInputs> settle(const AnalyzeOrder& order, const RunPlan& plan) {
  if (order.opens_model) return settle_inputs(plan, order.where.host);
  HONE_TRY_DO(check_inputs(plan.shape_config, {plan.model}));
  return SettledInputs{plan.shape_config, {}};
}

// Where the EP takes no open dimension, what is looked at is the model that a build would give it.
Result<Model> with_static_shapes(const AnalyzeOrder& order, const TransformTools& tools,
                                 Model model, RunPlan& plan, const Path& place) {
  if (order.shape_config.empty() || !needs_static_shapes(plan.target)) return model;
  HONE_TRY(
      const InputShapes shapes,
      settle_static_shapes(order.where, {plan.model, order.shape_config,
                                         describe(plan.target) + " takes static shapes alone"}));
  if (shapes.empty()) return model;
  HONE_TRY(FixedModel fixed, fix_shapes(tools, model, shapes, std::nullopt));
  HONE_TRY_DO(save_model(fixed.model, place));
  plan.model = place.string();
  return std::move(fixed.model);
}

// What would close what is open, for an EP that needs it closed.
void add_shape_note(const AnalyzeOrder& order, const RunPlan& plan, Analysis& analysis) {
  const bool is_open = !analysis.dynamic_axes.empty() && needs_static_shapes(plan.target);
  if (order.shape_config.empty() && is_open)
    analysis.notes.push_back(describe(plan.target) +
                             " takes static shapes alone: with --shape-config the model is looked "
                             "at as a build would fix it");
}

}  // namespace

Result<Analysis> analyze_model(const AnalyzeOrder& order, const Watch& watch) {
  HONE_TRY(const GivenModel given, find_model(order.model, order.where));
  HONE_TRY(Model model, load_model(given.file));
  HONE_TRY(RunPlan plan, make_plan(order, given));
  HONE_TRY(const SettledInputs inputs, settle(order, plan));
  plan.shape_config = inputs.shape_config;
  HONE_TRY(const std::vector<NamedRules> rules, load_rules(order.rules));
  HONE_TRY(const TransformTools tools, make_tools(order.where.host, watch));
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("analyze"));
  HONE_TRY(model,
           with_static_shapes(order, tools, std::move(model), plan, folder.path() / "model.onnx"));
  const OpProbeJob probe = probe_job(order, plan, watch);
  AnalyzeJob job;
  job.target = plan.target;
  job.rules = find_rules(rules, ep_short_name(plan.target.ep), plan.target.device);
  if (order.runs_unknown) {
    job.probe = [&](const Model& inferred, CoverageFacts& facts) {
      return run_unknown_ops(inferred, probe, facts);
    };
  }
  HONE_TRY(Analysis analysis, analyze(tools, model, job));
  analysis.model = order.model;
  add_shape_note(order, plan, analysis);
  analysis.notes.insert(analysis.notes.begin(), given.notes.begin(), given.notes.end());
  analysis.notes.insert(analysis.notes.end(), inputs.notes.begin(), inputs.notes.end());
  if (!order.opens_model) return analysis;
  watch.step("opening the model on " + plan.target.ep);
  analysis.placement = find_placement(plan, probe.program, probe.limits);
  settle_support(analysis);
  return analysis;
}

Job jobs::analyze() { return job_of(analyze_model); }

}  // namespace hone
