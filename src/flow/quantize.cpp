#include "flow/quantize.h"

#include "base/remains.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/quantize_command.h"
#include "flow/task_data.h"
#include "flow/transform_tools.h"
#include "transform/quantize/quantize.h"

namespace hone {
namespace {

Result<QuantizeRequest> read_request(const QuantizeOrder& order) {
  HONE_TRY(QuantizeRequest request, request_of(order.quantize));
  HONE_TRY(request.model, find_model_file(order.model, order.where.host));
  request.output = order.output;
  request.overwrite = order.overwrite;
  request.calibration_cache = order.calibration_cache;
  request.tries_remedies = order.tries_remedies;
  return request;
}

Result<QuantizeTools> make_quantize_tools(const Host& host, const Watch& watch) {
  HONE_TRY(const TransformTools found, make_tools(host, watch));
  QuantizeTools tools;
  tools.runtime = found.runtime;
  tools.probe_library = found.probe_library;
  tools.progress = [watch](std::uint64_t runs, std::uint64_t total) {
    watch.step("calibrating, runs", runs, total);
  };
  tools.tell = found.progress;
  return tools;
}

// Samples of a task are rows that the model's tokenizer or size of pictures makes arrays of: what
// calibration reads.
Status calibrate_on_task(const QuantizeOrder& order, const Path& folder, QuantizeRequest& request) {
  HONE_TRY(const FoundModel given, find_given(order.model, order.where.host));
  HONE_TRY(const Model model, load_model(given.file));
  HONE_TRY(TaskData opened,
           open_task_data({.task = order.task,
                           .data = order.data,
                           .rows = order.rows,
                           .samples = order.quantize.samples.value_or(usual_calibration_samples),
                           .seed = order.quantize.seed,
                           .models = {{given.file, given.exported}}},
                          input_ports(model)));
  request.calibration_data = folder / "samples.npz";
  HONE_TRY_DO(write_samples(opened.data, request.calibration_data));
  return done();
}

}  // namespace

Result<QuantizeResult> quantize_model(const QuantizeOrder& order, const Watch& watch) {
  HONE_TRY(QuantizeRequest request, read_request(order));
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("quantize"));
  if (!order.data.empty()) HONE_TRY_DO(calibrate_on_task(order, folder.path(), request));
  HONE_TRY(const SettledInputs inputs,
           settle_inputs(order.where, {request.model, request.calibration_data.string(),
                                       order.shape_config, request.seed}));
  HONE_TRY(request.shapes, parse_shape_rules(inputs.shape_config));
  HONE_TRY(const QuantizeTools tools, make_quantize_tools(order.where.host, watch));
  HONE_TRY(QuantizeResult result, quantize_file(request, tools));
  for (TriedRemedy& tried : result.tried) tried.command = command_with(tried, order);
  if (!order.data.empty()) result.samples_from = order.data;
  result.notes.insert(result.notes.begin(), inputs.notes.begin(), inputs.notes.end());
  return result;
}

Result<QuantizeResult> quantize_apart(const QuantizeOrder& order, const Watch& watch) {
  constexpr auto as_long_as_it_takes = std::chrono::hours(24 * 365);
  Result<QuantizeResult> made =
      run_apart(order, order.where.host.program, {.time = as_long_as_it_takes}, watch);
  if (made) return made;
  const Path output(order.output);
  remove_folders_left(output.parent_path() / ("." + output.filename().string() + ".hone-"));
  Error error = std::move(made).error();
  if (error.trouble == Trouble::crashed && error.hint.empty())
    error.hint =
        "if memory did not run out, ONNX Runtime cannot open what was made: another --precision, "
        "or --exclude operators";
  return fail(std::move(error));
}

Job jobs::quantize() { return job_of(quantize_model); }

}  // namespace hone
