#include "flow/optimize.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/no_such.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/transform_tools.h"
#include "transform/bisect.h"
#include "transform/capability.h"

namespace hone {
namespace {

// What all three need: the model, what it is run on, and what runs it.
struct Workbench {
  OptimizePlan plan;
  Model model;
  TransformTools tools;
  std::vector<std::string> notes;  // what was assumed of inputs
};

Status check(const OptimizeOrder& order) {
  constexpr std::int64_t most_samples = 1000;
  if (order.samples >= 1 && order.samples <= most_samples) return done();
  return misuse("'samples' cannot be " + std::to_string(order.samples),
                "it takes 1 to " + std::to_string(most_samples));
}

// What is compared runs on inputs that the model as it came was seen to take.
Status settle(const OptimizeOrder& order, const Path& model, bool runs, Workbench& bench) {
  SampleSource& samples = bench.plan.samples;
  samples = {order.input_data, order.shape_config, order.seed,
             static_cast<std::size_t>(order.samples)};
  if (!runs) return check_inputs(order.shape_config, {model});
  HONE_TRY(SettledInputs inputs,
           settle_inputs(order.where, {model, order.input_data, order.shape_config, order.seed}));
  samples.shape_config = std::move(inputs.shape_config);
  bench.notes = std::move(inputs.notes);
  return done();
}

Result<Workbench> prepare(const OptimizeOrder& order, bool runs, const Watch& watch) {
  HONE_TRY_DO(check(order));
  HONE_TRY(OptimizePlan plan, plan_capabilities(order.enabled, order.disabled));
  plan.verifies = order.verifies;
  HONE_TRY(const Path path, find_model_file(order.model, order.where.host));
  HONE_TRY(Model model, load_whole_model(path));
  HONE_TRY(TransformTools tools, make_tools(order.where.host, watch));
  Workbench bench{std::move(plan), std::move(model), std::move(tools), {}};
  HONE_TRY_DO(settle(order, path, runs, bench));
  return bench;
}

}  // namespace

CapabilityList list_capabilities() {
  CapabilityList list;
  for (const Capability& one : all_capabilities())
    list.capabilities.push_back({.name = json_name(one),
                                 .category = std::string(one.category),
                                 .summary = std::string(one.summary),
                                 .source = std::string(source_of(one))});
  std::ranges::stable_sort(list.capabilities, {}, &CapabilityFacts::category);
  return list;
}

std::vector<std::string> capability_names() { return names_of(all_capabilities()); }

bool holds(const OptimizeReport& report) { return !report.verified || report.verified->holds; }

Result<OptimizeReport> optimize_model(const OptimizeOrder& order, const Watch& watch) {
  if (order.output.empty()) return misuse("'output' names no file", "say where the model goes");
  HONE_TRY_DO(refuse_existing(order.output, order.overwrite));
  HONE_TRY(const Workbench bench, prepare(order, order.verifies, watch));
  HONE_TRY(OptimizeOutcome outcome, optimize(bench.tools, bench.model, bench.plan));
  OptimizeReport& report = outcome.report;
  report.model = order.model;
  report.notes.insert(report.notes.end(), bench.notes.begin(), bench.notes.end());
  if (!holds(report)) return std::move(report);
  HONE_TRY(const SaveReport saved, save_model(outcome.result.model, order.output,
                                              {.data_file = "", .overwrite = order.overwrite}));
  report.output = order.output;
  for (const Path& file : saved.data_files) report.data_files.push_back(file.string());
  return std::move(report);
}

Result<std::vector<CapabilityCheck>> check_optimizers(const OptimizeOrder& order,
                                                      const Watch& watch) {
  HONE_TRY(const Workbench bench, prepare(order, false, watch));
  return check_capabilities(bench.tools, bench.model);
}

Result<BisectReport> bisect_model(const OptimizeOrder& order, const Watch& watch) {
  HONE_TRY(const Workbench bench, prepare(order, true, watch));
  HONE_TRY(const std::vector<Sample> samples, samples_for(bench.model, bench.plan.samples));
  return bisect_optimizers(bench.tools, bench.model, samples, {.stop = watch.stop});
}

Job jobs::optimize() { return job_of(optimize_model); }

}  // namespace hone
