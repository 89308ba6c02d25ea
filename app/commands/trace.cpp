// Where the time of an inference goes: traces from files, shown and compared.

#include "flow/trace.h"

#include <array>

#include "app/actions.h"
#include "app/errors.h"
#include "app/outputs.h"
#include "app/where.h"
#include "base/file.h"
#include "base/misuse.h"
#include "measure/trace/diff.h"
#include "report/trace/diff_text.h"
#include "report/trace/perfetto.h"
#include "report/trace/trace_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string action;
  std::string first;
  std::string second;
  TraceOrder order;
  std::int64_t top = 15;
  std::string output;
  std::string perfetto;
  bool overwrite = false;
};

constexpr auto help = "hone help trace";

std::vector<std::string> inputs_of(const Arguments& arguments) {
  std::vector<std::string> inputs = arguments.order.ort_profiles;
  inputs.insert(inputs.end(), {arguments.first, arguments.second, arguments.order.qnn_csv,
                               arguments.order.qhas, arguments.order.model});
  return inputs;
}

Status check_sources(const Arguments& arguments) {
  const bool has_qnn = !arguments.order.qnn_csv.empty() || !arguments.order.qhas.empty();
  if (!arguments.first.empty()) {
    return misuse(
        "hone trace parse takes no '" + arguments.first + "': the file's option says what it is",
        help);
  }
  if (!has_qnn && arguments.order.ort_profiles.empty()) {
    return misuse("hone trace parse needs --qnn-csv, --qhas or --ort-profile", help);
  }
  if (has_qnn && !arguments.order.ort_profiles.empty()) {
    return misuse("--ort-profile does not go with --qnn-csv and --qhas", help);
  }
  if (arguments.order.warmup > 0 && !arguments.order.qhas.empty() &&
      arguments.order.qnn_csv.empty()) {
    return misuse("--warmup does not go with --qhas: it holds one inference", help);
  }
  return done();
}

Status check_times(const TraceOrder& order) {
  const std::array<std::pair<std::string, std::optional<double>>, 2> times = {
      {{"--latency-us", order.latency_us}, {"--node-floor-us", order.node_floor_us}}};
  for (const auto& [option, us] : times) {
    if (us && *us <= 0) return misuse(option + " takes a time above 0", help);
  }
  if (order.node_floor_us && !order.latency_us)
    return misuse("--node-floor-us needs --latency-us", help);
  return done();
}

// What was asked for and is not there: said as a failure, and nothing that looks like a result.
ExitCode report_missing(const OpTrace& trace, const Call& call) {
  const std::string file =
      trace.artifacts.empty() ? "" : " in '" + trace.artifacts.begin()->second + "'";
  report({Fault::runtime,
          "there is no op trace" + file + " (" + std::string(name_of(trace.status)) + ")",
          trace.error.value_or(""),
          {}},
         call.settings());
  return ExitCode::no_trace;
}

Result<ExitCode> answer(const OpTrace& trace, const Arguments& arguments, const Call& call) {
  if (!trace.has_operators()) return report_missing(trace, call);
  const Json document = to_document(trace, trace_schema_version);
  HONE_TRY_DO(write_report(arguments.output, document));
  if (!arguments.perfetto.empty()) {
    HONE_TRY_DO(write_file(arguments.perfetto, perfetto_trace(trace).dump(-1) + "\n"));
  }
  HONE_TRY_DO(call.answer(document, describe_trace(trace, {.top = arguments.top})));
  return ExitCode::done;
}

Result<ExitCode> parse(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_sources(arguments));
  HONE_TRY_DO(check_times(arguments.order));
  HONE_TRY_DO(check_outputs({arguments.output, arguments.perfetto}, arguments.overwrite,
                            inputs_of(arguments)));
  HONE_TRY(const OpTrace trace, trace_from_files(arguments.order));
  return answer(trace, arguments, call);
}

Result<ExitCode> show(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_times(arguments.order));
  HONE_TRY_DO(check_outputs({arguments.output, arguments.perfetto}, arguments.overwrite,
                            inputs_of(arguments)));
  HONE_TRY(const OpTrace trace, trace_from_report(arguments.first, arguments.order));
  return answer(trace, arguments, call);
}

Result<ExitCode> compare(const Arguments& arguments, const Call& call) {
  HONE_TRY(const OpTrace before, trace_from_report(arguments.first));
  HONE_TRY(const OpTrace after, trace_from_report(arguments.second));
  for (const OpTrace* trace : {&before, &after}) {
    if (!trace->has_operators()) return report_missing(*trace, call);
  }
  const TraceDiff diff = diff_traces(before, after);
  HONE_TRY_DO(call.answer(to_document(diff, 1), describe_diff(diff, arguments.top)));
  return ExitCode::done;
}

constexpr std::array<Action<Arguments>, 3> actions = {{
    {{.name = "parse", .most = 2}, parse},
    {{.name = "show", .takes = "TRACE", .least = 1, .most = 1}, show},
    {{.name = "diff", .takes = "TRACE and AFTER", .least = 2, .most = 2}, compare},
}};

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  std::vector<std::string> traces = {arguments.first, arguments.second};
  std::erase(traces, "");
  HONE_TRY(const auto* action, find_action("trace", actions, arguments.action, traces));
  return action->run(arguments, call);
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.positional("ACTION", arguments->action, "parse, show or diff");
  options.text("TRACE", arguments->first, "show, diff: the trace; for diff the one before");
  options.text("AFTER", arguments->second, "diff: the trace to compare it with");
  options.text("--qnn-csv FILE", arguments->order.qnn_csv, "parse: QNN's profiling CSV");
  options.text("--qhas FILE", arguments->order.qhas,
               "parse: the QNN viewer's analysis; --qnn-csv beside it stands in for a broken one");
  options.texts("--ort-profile FILE", arguments->order.ort_profiles,
                "parse: ONNX Runtime's profile; again for each further run");
  declare_host(options, arguments->order.host);
  options.text("-m,--model MODEL", arguments->order.model,
               "what ran, a file or a folder: its node types");
  options.integer("--warmup N", arguments->order.warmup,
                  "parse: inferences at the start to leave out", Need::optional, {.least = 0});
  options.number("--latency-us X", arguments->order.latency_us,
                 "the median without a tracer; times are reconciled with it");
  options.number("--node-floor-us X", arguments->order.node_floor_us,
                 "the tracer's cost per node, where it was measured");
  options.integer("--top-k N", arguments->top, "operators to show (15)", Need::optional,
                  {.least = 1});
  options.text("-o,--output FILE", arguments->output, "write the trace as JSON");
  options.text("--perfetto FILE", arguments->perfetto, "write a timeline for ui.perfetto.dev");
  options.flag("--overwrite", arguments->overwrite, "replace outputs that exist");
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command trace() {
  return {.name = "trace",
          .group = "measure",
          .summary = "Take the time of an inference apart, from a tracer's file",
          .help =
              "parse reads what QNN or ONNX Runtime wrote and makes one kind of trace of it;\n"
              "show prints such a trace; diff compares two, operator by operator. The times\n"
              "are the tracer's, with its own cost inside, until --latency-us says how long an\n"
              "inference takes without it. Where there is no trace, the exit code is 4.",
          .examples =
              "hone trace parse --qnn-csv profile.csv --warmup 2 --top-k 10\n"
              "hone trace parse --ort-profile ort.json --latency-us 869 -o trace.json\n"
              "hone trace show trace.json --perfetto timeline.json\n"
              "hone trace diff before.json after.json",
          .declare = declare};
}

}  // namespace hone::app::commands
