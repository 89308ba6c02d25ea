// How fast a model runs on a target, where its nodes ran, and where the time goes.

#include "flow/perf.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "app/command.h"
#include "app/errors.h"
#include "app/generation_perf.h"
#include "app/interrupt.h"
#include "app/live_view.h"
#include "app/outputs.h"
#include "app/where.h"
#include "base/misuse.h"
#include "base/text.h"
#include "flow/parts/orders.h"
#include "report/parts/parts_text.h"
#include "report/perf/perf_text.h"
#include "report/trace/perfetto.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  PerfOrder order;
  std::string batches;  // "1,2,4"
  std::string streams;
  bool memory = false;
  std::int64_t top_k = 0;
  std::string perfetto;
  GenerationArguments generation;
  std::string output;
  bool overwrite = false;
};

constexpr std::int64_t default_top_k = 5;
constexpr auto help = "hone help perf";

Status check(const Arguments& arguments) {
  if (!arguments.batches.empty() && arguments.order.batch_size > 0)
    return misuse("--batch and --batch-size say the same thing", help);
  if (!(arguments.order.cool_down_s >= 0 && arguments.order.cool_down_s <= 3600))
    return misuse("--cool-down takes 0 to 3600 seconds", help);
  if (arguments.order.cool_down_s > 0 && arguments.order.sessions < 2)
    return misuse("--cool-down is between sessions, and needs --sessions", help);
  const std::optional<double>& duration = arguments.order.duration_s;
  if (duration && !(std::isfinite(*duration) && *duration > 0))
    return misuse("--duration takes a time above 0, in seconds", help);
  if (!arguments.order.tracing && arguments.top_k > 0)
    return misuse("--top-k needs --op-tracing", help);
  if (!arguments.order.tracing && !arguments.perfetto.empty())
    return misuse("--perfetto needs --op-tracing", help);
  return check_outputs({arguments.output, arguments.perfetto}, arguments.overwrite,
                       {arguments.order.model, arguments.order.input_data});
}

// What the tracer writes is kept beside the report, or not at all.
Result<PerfOrder> order_of(const Arguments& arguments, const Call& call) {
  PerfOrder order = arguments.order;
  HONE_TRY(order.batches, read_list(arguments.batches, "--batch", 1 << 20));
  HONE_TRY(order.streams, read_list(arguments.streams, "--streams", 256));
  order.repeat = call.settings().command_line;
  if (!arguments.order.tracing) return order;
  if (!arguments.output.empty())
    order.trace_folder = Path(arguments.output).replace_extension(".trace").string();
  if (const char* sdk = std::getenv("QNN_SDK_ROOT")) order.qnn_sdk = sdk;
  return order;
}

Error missing_trace(const OpTrace& trace) {
  return {
      Fault::runtime,
      "op tracing was asked for and there is no trace (" + std::string(name_of(trace.status)) + ")",
      trace.error.value_or(""), "without --op-tracing the latency is measured all the same"};
}

Status write_outputs(const Arguments& arguments, const PerfResult& result, const Json& document) {
  HONE_TRY_DO(write_report(arguments.output, document));
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

// Calls `measure` with a watch that shows how it goes.
template <class Measure>
auto watched(const PerfOrder& order, const Call& call, Measure&& measure) {
  PerfLive live;
  std::optional<LiveView> view;
  PerfWatch watch;
  watch.watch.stop = &stop_when_interrupted();
  watch.warn = [&](const std::string& warning) { call.detail(warning); };
  watch.begin = [&](const PerfBegun& begun) {
    view.emplace(call, live, LiveViewOptions{begun.title, begun.loop, order.watches_hardware});
    return &live;
  };
  return measure(watch);
}

// All parts of a composite.
Result<ExitCode> answer_parts(const Arguments& arguments, const FoundParts& found,
                              const PerfOrder& order, const Call& call) {
  if (!arguments.perfetto.empty())
    return misuse("--perfetto is of one model, and '" + printable(found.given) + "' is several",
                  "--part " + found.models.front().part + " takes one of them");
  HONE_TRY(const CompositePerf measured, watched(order, call, [&](const PerfWatch& watch) {
             return measure_parts(found, order, watch);
           }));
  const Json document = to_document(measured, perf_schema_version);
  HONE_TRY_DO(write_report(arguments.output, document));
  HONE_TRY_DO(call.answer(document, describe_parts(measured)));
  end_if_interrupted();
  return ExitCode::done;
}

Result<ExitCode> answer_waiting(const Arguments& arguments, const PerfOrder& order,
                                const Call& call) {
  HONE_TRY(const Json document, measure_waiting(arguments.generation, order, call));
  HONE_TRY_DO(write_report(arguments.output, document));
  end_if_interrupted();
  return ExitCode::done;
}

// What was stopped ends by the signal that stopped it, once it has answered and cleaned up.
Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check(arguments));
  HONE_TRY(const PerfOrder order, order_of(arguments, call));
  if (arguments.generation.is_asked) return answer_waiting(arguments, order, call);
  HONE_TRY(const auto parts, find_parts(order.model, order.where.host));
  if (parts) return answer_parts(arguments, *parts, order, call);
  const Result<PerfResult> result =
      watched(order, call, [&](const PerfWatch& watch) { return measure_model(order, watch); });
  if (!result && stop_when_interrupted()) {
    call.note("stopped before the first run was measured");
    return ExitCode::failed;
  }
  if (!result) return fail(result.error());
  HONE_TRY(const ExitCode code, answer(arguments, *result, call));
  end_if_interrupted();
  return code;
}

void declare_inputs(Options& options, Arguments& arguments) {
  options.text("--input-data FILE", arguments.order.input_data,
               "inputs as .npz, or a folder of them; else seeded random ones");
  options.shape_config(arguments.order.shape_config);
  options.integer("--batch-size N", arguments.order.batch_size, "the size of the first dimension",
                  Need::optional, {.least = 1, .most = 1 << 20});
  options.text("--batch N,...", arguments.batches,
               "sizes of the first dimension, one after the other: a table and a chart");
  options.text("--streams N,...", arguments.streams,
               "sessions that run at once, each on a thread; several numbers likewise");
  options.word("--io-binding HOW", arguments.order.where.io_binding,
               "outputs come back to the host (auto), stay on the device, or nothing is bound");
  options.integer("--samples N", arguments.order.samples, "how many random samples take turns",
                  Need::optional, {.least = 1, .most = 1000});
  options.seed(arguments.order.seed, "of the random samples");
}

void declare_views(Options& options, Arguments& arguments) {
  options.flag("--memory", arguments.memory, "show memory as well; JSON always has it");
  options.flag("--monitor", arguments.order.watches_hardware,
               "watch the hardware: a live panel, and its figures in the result");
  options.word("--op-tracing LEVEL", arguments.order.tracing,
               "trace operators in a second session; exit 4 when there is no trace");
  options.integer("--top-k N", arguments.top_k, "operators to show (5)", Need::optional,
                  {.least = 1, .most = 1 << 20});
  options.text("--perfetto FILE", arguments.perfetto, "write the trace for ui.perfetto.dev");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->order.model);
  options.integer("--iterations N", arguments->order.iterations, "runs to measure (100)",
                  Need::optional, {.least = 1, .most = 1 << 24});
  options.number("--duration SECONDS", arguments->order.duration_s,
                 "measure for this long instead of a number of runs");
  options.integer(
      "--warmup N", arguments->order.warmup,
      "runs before that do not count (10, or 2 s of them); more are found by themselves",
      {.least = 0, .most = 1 << 24});
  options.integer("--sessions N", arguments->order.sessions,
                  "fresh processes; their medians give the latency an interval (1)", Need::optional,
                  {.least = 1, .most = 1000});
  options.number("--cool-down SECONDS", arguments->order.cool_down_s, "between two sessions (0)");
  declare_inputs(options, *arguments);
  declare_where(options, arguments->order.where);
  declare_views(options, *arguments);
  declare_generation(options, arguments->generation);
  options.afterwards([arguments, &options] {
    const bool is_usual = arguments->generation.is_asked && !options.is_given("--sessions");
    if (is_usual) arguments->order.sessions = usual_generation_sessions;
    return done();
  });
  options.integer("--timeout SECONDS", arguments->order.timeout_s,
                  "for opening the session, and for 200 ms worth of runs (300)", Need::optional,
                  {.least = 1, .most = 86'400});
  options.integer("--max-time SECONDS", arguments->order.most_seconds,
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
              "goes, from a second session, scaled to the untraced one. --sessions says how far\n"
              "the latency itself can be trusted, --batch and --streams how it scales. An EP\n"
              "that crashes or hangs is an error here, never the end of hone.",
          .examples =
              "hone perf model.onnx\n"
              "hone perf model.onnx --ep qnn --device npu --require-placement 95%\n"
              "hone perf model.onnx --op-tracing basic --top-k 10\n"
              "hone perf model.onnx --iterations 500 --sessions 3 --cool-down 5\n"
              "hone perf model.onnx --ep cuda --batch 1,2,4,8 --io-binding device\n"
              "hone perf llama --generate --prompt-tokens 16,128 --output-tokens 32\n"
              "hone perf model.onnx --duration 10 --monitor --format json",
          .declare = declare};
}

}  // namespace hone::app::commands
