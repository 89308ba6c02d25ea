// How fast a model runs on a target, where its nodes ran, and where the time goes.

#include "measure/perf.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "app/command.h"
#include "app/errors.h"
#include "app/inputs.h"
#include "app/interrupt.h"
#include "app/live_view.h"
#include "app/model_path.h"
#include "app/node_types.h"
#include "app/outputs.h"
#include "app/utc.h"
#include "app/where.h"
#include "base/process.h"
#include "base/text.h"
#include "inspect/facts.h"
#include "model/denormals.h"
#include "pipeline/policy.h"
#include "record/machine_facts.h"
#include "report/perf/denormals_text.h"
#include "report/perf/perf_text.h"
#include "report/trace/perfetto.h"
#include "report/trace/text.h"
#include "runtime/target.h"

namespace hone::app::commands {
namespace {

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

struct Arguments {
  std::string model;
  WhereArguments where;
  std::int64_t iterations = 100;
  std::int64_t warmup = -1;  // not said
  double duration = not_given;
  std::int64_t batch_size = 0;
  std::string input_data;
  std::string shape_config;
  std::int64_t samples = 4;
  std::uint64_t seed = 0;
  bool monitor = false;
  bool memory = false;
  std::string op_tracing;
  std::int64_t top_k = 0;
  std::string perfetto;
  std::int64_t timeout = 300;
  std::int64_t most_seconds = 0;
  std::string output;
  bool overwrite = false;
};

constexpr std::int64_t default_top_k = 5;

Failure misuse(std::string what) {
  return fail(Fault::bad_input, std::move(what), {}, "hone help perf");
}

Status check(const Arguments& arguments) {
  const bool has_duration = !std::isnan(arguments.duration);
  if (has_duration && !(std::isfinite(arguments.duration) && arguments.duration > 0)) {
    return misuse("--duration takes a time above 0, in seconds");
  }
  if (arguments.op_tracing.empty() && arguments.top_k > 0) {
    return misuse("--top-k needs --op-tracing");
  }
  if (arguments.op_tracing.empty() && !arguments.perfetto.empty()) {
    return misuse("--perfetto needs --op-tracing");
  }
  return check_outputs({arguments.output, arguments.perfetto}, arguments.overwrite,
                       {arguments.model, arguments.input_data});
}

Result<RunPlan> run_plan(const Arguments& arguments, const GivenModel& given) {
  HONE_TRY(RunPlan plan, plan_of(given));
  plan.input_data = arguments.input_data;
  plan.shape_config = arguments.shape_config;
  plan.batch_size = arguments.batch_size;
  plan.samples = arguments.samples;
  plan.seed = arguments.seed;
  return plan;
}

LoopPlan loop_plan(const Arguments& arguments) {
  LoopPlan plan;
  // Ten runs of a slow model are no warm-up that anybody asked for.
  plan.most_warmup = std::chrono::seconds(2);
  if (arguments.warmup >= 0) {
    plan.warmup = static_cast<std::uint64_t>(arguments.warmup);
    plan.most_warmup = Nanoseconds{0};
  }
  plan.iterations = static_cast<std::uint64_t>(arguments.iterations);
  if (!std::isnan(arguments.duration)) {
    plan.duration = std::chrono::duration_cast<Nanoseconds>(
        std::chrono::duration<double>(std::min(arguments.duration, 1e6)));
  }
  return plan;
}

// What the tracer writes is kept beside the report, or not at all.
Result<Path> make_trace_folder(const Arguments& arguments,
                               std::optional<TemporaryFolder>& temporary) {
  if (arguments.output.empty()) {
    HONE_TRY(TemporaryFolder made, TemporaryFolder::create("trace"));
    return temporary.emplace(std::move(made)).path();
  }
  Path folder = Path(arguments.output).replace_extension(".trace");
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) {
    return fail(Fault::io, "cannot make the folder '" + folder.string() + "'", problem.message());
  }
  return folder;
}

PerfModelInfo model_info(const ModelFacts& facts) {
  PerfModelInfo info;
  for (const ValueFacts& input : facts.inputs) {
    info.input_names.push_back(input.name);
    info.input_types.push_back(input.type);
    info.input_shapes.push_back(input.shape.value_or(std::vector<Json>()));
  }
  for (const ValueFacts& output : facts.outputs) {
    info.output_names.push_back(output.name);
    info.output_types.push_back(output.type);
    info.output_shapes.push_back(output.shape.value_or(std::vector<Json>()));
  }
  info.precision = facts.precision;
  return info;
}

// What was asked for; what was measured is already in `info`.
void add_request(const Arguments& arguments, const PerfPlan& plan, PerfBenchmarkInfo& info) {
  info.model_id = arguments.model;
  info.running_model_path = plan.run.model;
  info.ep = plan.run.target.ep;
  if (info.device.empty()) info.device = usual_device(plan.run.target);
  info.ep_options = plan.run.target.options;
  info.session_options = plan.run.session_options;
  if (plan.run.threads > 0) info.threads = plan.run.threads;
  if (plan.loop.duration > Nanoseconds{0}) info.duration_sec = arguments.duration;
  if (plan.run.batch_size > 0) info.batch_size = plan.run.batch_size;
  if (!plan.run.input_data.empty()) info.input_data = plan.run.input_data;
  if (plan.run.input_data.empty()) info.seed = plan.run.seed;
  info.timestamp = utc_now();
}

// The first thing to know about a network that computes with denormals: it need not.
void add_denormals(const DenormalCount& weights, PerfResult& result) {
  result.denormals.weights = weights.denormal;
  result.denormals.of = weights.total;
  std::string note = denormals_note(result);
  if (!note.empty()) result.notes.insert(result.notes.begin(), std::move(note));
}

void add_notes(const PerfPlan& plan, PerfResult& result) {
  const PerfBenchmarkInfo& info = result.benchmark_info;
  if (info.batch_size && info.effective_batch_size &&
      *info.batch_size != *info.effective_batch_size) {
    result.notes.push_back(
        "a batch of " + std::to_string(*info.batch_size) + " was asked for and one of " +
        std::to_string(*info.effective_batch_size) + " fed: the model or the data fixes it");
  }
  // One in ten is far beyond what a quiet machine shows.
  constexpr double many_spikes = 0.1;
  if (result.steady_state.spike_rate.value_or(0) > many_spikes) {
    result.notes.emplace_back(
        "many iterations were interrupted; `hone doctor` says what spoils measurements");
  }
  const bool is_accelerator = plan.run.target.ep != "cpu";
  if (is_accelerator && result.placement && result.placement->known &&
      result.placement->shares.front().nodes == 0) {
    result.notes.push_back("no node ran on " + describe(plan.run.target) +
                           ": these are the times of another EP");
  }
}

Error missing_trace(const OpTrace& trace) {
  return {
      Fault::runtime,
      "op tracing was asked for and there is no trace (" + std::string(name_of(trace.status)) + ")",
      trace.error.value_or(""), "without --op-tracing the latency is measured all the same"};
}

Status write_outputs(const Arguments& arguments, const PerfResult& result, const Json& document) {
  if (!arguments.output.empty()) {
    HONE_TRY_DO(write_file(arguments.output, document.dump() + "\n"));
  }
  if (!arguments.perfetto.empty() && result.op_trace) {
    HONE_TRY_DO(write_file(arguments.perfetto, perfetto_trace(*result.op_trace).dump(-1) + "\n"));
  }
  return done();
}

Result<ExitCode> answer(const Arguments& arguments, const PerfResult& result, const Call& call) {
  if (result.op_trace && !result.op_trace->has_operators()) {
    report(missing_trace(*result.op_trace), call.settings());
    return ExitCode::no_trace;
  }
  const Json document = to_document(result, perf_schema_version);
  HONE_TRY_DO(write_outputs(arguments, result, document));
  const std::int64_t top = arguments.top_k > 0 ? arguments.top_k : default_top_k;
  HONE_TRY_DO(
      call.answer(document, describe_perf(result, {.top = top, .shows_memory = arguments.memory})));
  if (!arguments.output.empty()) call.note("wrote " + arguments.output);
  return ExitCode::done;
}

Result<PerfPlan> make_plan(const Arguments& arguments, const GivenModel& given, const Model& model,
                           const DenormalCount& weights) {
  PerfPlan plan;
  HONE_TRY(plan.run, run_plan(arguments, given));
  plan.loop = loop_plan(arguments);
  plan.watches_hardware = arguments.monitor;
  HONE_TRY(plan.program, own_program());
  plan.limits.open = std::chrono::seconds(arguments.timeout);
  plan.limits.block = std::chrono::seconds(arguments.timeout);
  const bool may_flush = plan.run.target.ep == "cpu" &&
                         !plan.run.session_options.contains("session.set_denormal_as_zero");
  plan.tries_denormals_as_zero =
      may_flush && (weights.denormal > 0 || !arguments.op_tracing.empty());
  if (arguments.op_tracing.empty()) return plan;
  plan.tracing = arguments.op_tracing == "detail" ? TraceLevel::detail : TraceLevel::basic;
  plan.node_types = node_types_of(model);
  if (const char* sdk = std::getenv("QNN_SDK_ROOT")) plan.qnn_sdk = sdk;
  return plan;
}

Result<PerfResult> measure(const PerfPlan& plan, const Arguments& arguments, const Call& call,
                           PlacementGate& gate) {
  PerfLive live;
  const LiveView view(call, live,
                      {.title = plan.run.model + " on " + describe(plan.run.target),
                       .loop = plan.loop,
                       .is_panel = arguments.monitor});
  PerfHooks hooks;
  hooks.live = &live;
  hooks.stop = &stop_when_interrupted();
  hooks.accept = [&](const WorkerOpened& opened) {
    for (const std::string& warning : opened.warnings) call.detail(warning);
    return gate.check(opened.placement);
  };
  return measure_perf(plan, hooks);
}

Result<ExitCode> measure_model(const Arguments& arguments, const Call& call) {
  // Reading the model is part of it.
  const Nanoseconds began = steady_now();
  HONE_TRY_DO(check(arguments));
  HONE_TRY(PlacementGate gate, PlacementGate::read(arguments.where.require_placement));
  HONE_TRY(const GivenModel given, find_model(arguments.model, arguments.where));
  HONE_TRY(const Model model, load_whole_model(given.file));
  HONE_TRY(const ModelFacts facts, gather_facts(model, given.file));
  const DenormalCount weights = count_denormal_weights(model);
  HONE_TRY(PerfPlan plan, make_plan(arguments, given, model, weights));
  if (arguments.most_seconds > 0)
    plan.deadline = began + std::chrono::seconds(arguments.most_seconds);
  HONE_TRY(const SettledInputs inputs, settle_inputs(plan.run));
  plan.run.shape_config = inputs.shape_config;
  std::optional<TemporaryFolder> temporary;
  if (plan.tracing) {
    HONE_TRY(plan.trace_folder, make_trace_folder(arguments, temporary));
  }
  Result<PerfResult> result = measure(plan, arguments, call, gate);
  if (!result && gate.has_refused()) {
    report(result.error(), call.settings());
    return ExitCode::not_held;
  }
  if (!result && stop_when_interrupted()) {
    call.note("stopped before the first run was measured");
    return ExitCode::failed;
  }
  if (!result) return fail(std::move(result).error());
  add_request(arguments, plan, result->benchmark_info);
  result->notes.insert(result->notes.begin(), inputs.notes.begin(), inputs.notes.end());
  result->notes.insert(result->notes.begin(), given.notes.begin(), given.notes.end());
  add_notes(plan, *result);
  add_denormals(weights, *result);
  result->model_info = model_info(facts);
  result->machine = machine_of(read_machine());
  result->repeat = call.settings().command_line;
  if (temporary && result->op_trace) result->op_trace->artifacts.clear();
  return answer(arguments, *result, call);
}

// What was stopped ends by the signal that stopped it, once it has answered and cleaned up.
Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  Result<ExitCode> end = measure_model(arguments, call);
  if (end) end_if_interrupted();
  return end;
}

void declare_inputs(Options& options, Arguments& arguments) {
  options.text("--input-data FILE", arguments.input_data,
               "inputs as .npz, or a folder of them; else seeded random ones");
  options.shape_config(arguments.shape_config);
  options.integer("--batch-size N", arguments.batch_size, "the size of the first dimension",
                  Need::optional, {.least = 1, .most = 1 << 20});
  options.integer("--samples N", arguments.samples, "how many random samples take turns",
                  Need::optional, {.least = 1, .most = 1000});
  options.seed(arguments.seed, "of the random samples");
}

void declare_views(Options& options, Arguments& arguments) {
  options.flag("--memory", arguments.memory, "show memory as well; JSON always has it");
  options.flag("--monitor", arguments.monitor,
               "watch the hardware: a live panel, and its figures in the result");
  options.choice("--op-tracing LEVEL", arguments.op_tracing, {"basic", "detail"},
                 "trace operators in a second session; exit 4 when there is no trace");
  options.integer("--top-k N", arguments.top_k, "operators to show (5)", Need::optional,
                  {.least = 1, .most = 1 << 20});
  options.text("--perfetto FILE", arguments.perfetto, "write the trace for ui.perfetto.dev");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.integer("--iterations N", arguments->iterations, "runs to measure (100)", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.number("--duration SECONDS", arguments->duration,
                 "measure for this long instead of a number of runs");
  options.integer(
      "--warmup N", arguments->warmup,
      "runs before that do not count (10, or 2 s of them); more are found by themselves",
      Need::optional, {.least = 0, .most = 1 << 24});
  declare_inputs(options, *arguments);
  declare_where(options, arguments->where);
  declare_views(options, *arguments);
  options.integer("--timeout SECONDS", arguments->timeout,
                  "for opening the session, and for 200 ms worth of runs (300)", Need::optional,
                  {.least = 1, .most = 86'400});
  options.integer("--max-time SECONDS", arguments->most_seconds,
                  "be done after this long, opening included, with what is known", Need::optional,
                  {.least = 1, .most = 86'400});
  options.text("-o,--output FILE", arguments->output, "write the result as JSON as well");
  options.flag("--overwrite", arguments->overwrite, "replace files that are there");
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command perf() {
  return {.name = "perf",
          .group = "measure",
          .summary = "Measure how fast a model runs on a target, and where its nodes ran",
          .help =
              "Opens the model in a process of its own, runs it, and reports latency,\n"
              "throughput, cold start, memory and which EP got which nodes. Time is taken\n"
              "around Run alone; warm-up ends where the level settles; a percentile is given\n"
              "only when there are enough samples for it. --op-tracing adds where the time\n"
              "goes, from a second session, scaled to the untraced one. An EP that crashes or\n"
              "hangs is an error here, never the end of hone.",
          .examples =
              "hone perf model.onnx\n"
              "hone perf model.onnx --ep qnn --device npu --require-placement 95%\n"
              "hone perf model.onnx --op-tracing basic --top-k 10\n"
              "hone perf model.onnx --duration 10 --monitor --format json",
          .declare = declare};
}

}  // namespace hone::app::commands
