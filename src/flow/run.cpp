#include "flow/run.h"

#include "base/misuse.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "flow/processor.h"
#include "flow/where.h"
#include "inspect/run/run_model.h"

namespace hone {
namespace {

Status check(const RunOrder& order) {
  if (order.output.empty() || lowercase(Path(order.output).extension().string()) == ".npz")
    return done();
  return misuse("'" + order.output + "' does not end in .npz",
                "outputs are written as arrays with names: -o outputs.npz");
}

Result<RunInputsRequest> inputs_of(const RunOrder& order, const GivenModel& given) {
  RunInputsRequest inputs;
  HONE_TRY(inputs.plan, plan_of(given));
  inputs.plan.input_data = order.input_data;
  inputs.plan.shape_config = order.shape_config;
  inputs.plan.samples = order.samples;
  inputs.plan.seed = order.seed;
  inputs.words = order.inputs;
  inputs.makes_up_rest = order.makes_up_rest;
  inputs.may_lose = order.may_lose;
  HONE_TRY(inputs.images, image_rules_of(order.pictures));
  inputs.says_scaling = !order.pictures.mean.empty() || !order.pictures.deviation.empty();
  inputs.image_size = order.image_size;
  if (order.sample_rate) inputs.sample_rate = static_cast<double>(*order.sample_rate);
  inputs.program = order.where.host.program;
  return inputs;
}

// What lies beside the model, unless something else is said.
void choose_processor(const RunOrder& order, const GivenModel& given, RunInputsRequest& inputs) {
  const std::string& said = order.pictures.processor;
  inputs.says_processor = !said.empty() && said != no_processor;
  if (inputs.says_processor) inputs.processor = said;
  if (said.empty()) inputs.processor = processor_place(given.file, given.exported);
  inputs.wishes.mean = order.pictures.mean;
  inputs.wishes.deviation = order.pictures.deviation;
  if (!order.image_size) return;
  inputs.wishes.size = PictureSize{static_cast<std::size_t>(order.image_size->height),
                                   static_cast<std::size_t>(order.image_size->width)};
}

}  // namespace

Result<RunReport> run_on_inputs(const RunOrder& order, const RunWatch& watch) {
  HONE_TRY_DO(check(order));
  HONE_TRY(const GivenModel given, find_model(order.model, order.where));
  HONE_TRY(const Model model, load_whole_model(given.file));
  RunRequest request;
  HONE_TRY(request.inputs, inputs_of(order, given));
  choose_processor(order, given, request.inputs);
  request.labels = order.labels;
  request.top = static_cast<std::size_t>(order.top);
  request.output = order.output;
  request.limits.open = std::chrono::seconds(order.timeout_s);
  request.limits.block = request.limits.open;
  RunHooks hooks;
  hooks.accept = [&](const WorkerOpened& opened) {
    for (const std::string& warning : opened.warnings)
      if (watch.warn) watch.warn(warning);
    return check_placement(order.where, opened.placement);
  };
  hooks.progress = [&](std::uint64_t done, std::uint64_t total) {
    watch.watch.step("running, samples", done, total);
  };
  HONE_TRY(RunReport report, run_model(request, model, hooks));
  report.notes.insert(report.notes.begin(), given.notes.begin(), given.notes.end());
  return report;
}

}  // namespace hone
