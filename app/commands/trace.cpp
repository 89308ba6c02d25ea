// Where the time of an inference goes: traces from files, shown and compared.

#include <array>
#include <cmath>
#include <limits>

#include "app/command.h"
#include "app/errors.h"
#include "app/outputs.h"
#include "flow/given_model.h"
#include "flow/node_types.h"
#include "measure/trace/diff.h"
#include "measure/trace/files.h"
#include "measure/trace/reconcile.h"
#include "model/model.h"
#include "report/trace/diff_text.h"
#include "report/trace/perfetto.h"
#include "report/trace/trace_text.h"

namespace hone::app::commands {
namespace {

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

struct Arguments {
  std::string action;
  std::string first;
  std::string second;
  std::string qnn_csv;
  std::string qhas;
  std::vector<std::string> ort_profiles;
  std::string model;
  std::int64_t warmup = 0;
  std::int64_t top = 15;
  double latency_us = not_given;
  double node_floor_us = not_given;
  std::string output;
  std::string perfetto;
  bool overwrite = false;
};

Failure misuse(std::string what) {
  return fail(Fault::bad_input, std::move(what), {}, "hone help trace");
}

std::vector<std::string> inputs_of(const Arguments& arguments) {
  std::vector<std::string> inputs = arguments.ort_profiles;
  inputs.insert(inputs.end(), {arguments.first, arguments.second, arguments.qnn_csv, arguments.qhas,
                               arguments.model});
  return inputs;
}

// A file that cannot be read is the caller's to mend, whatever the reason.
template <class T>
Result<T> as_bad_input(Result<T> result) {
  if (result) return result;
  Error error = std::move(result).error();
  if (error.fault == Fault::io) error.fault = Fault::bad_input;
  return fail(std::move(error));
}

Result<NodeTypes> node_types_in(const std::string& path) {
  if (path.empty()) return NodeTypes();
  HONE_TRY(const Path file, find_model_file(path));
  HONE_TRY(const Model model, load_model(file));
  return node_types_of(model);
}

Result<OpTrace> read_qnn(const Arguments& arguments, const TraceOptions& options) {
  if (arguments.qhas.empty()) return read_qnn_csv(arguments.qnn_csv, options);
  HONE_TRY(OpTrace detailed, read_qhas(arguments.qhas, options));
  if (detailed.has_operators() || arguments.qnn_csv.empty()) return detailed;
  HONE_TRY(OpTrace basic, read_qnn_csv(arguments.qnn_csv, options));
  return fall_back_to(std::move(basic), "qhas_parse_failed", detailed.error.value_or(""));
}

Result<OpTrace> read_trace(const Arguments& arguments) {
  TraceOptions options;
  options.warmup = arguments.warmup;
  HONE_TRY(options.node_types, node_types_in(arguments.model));
  if (arguments.ort_profiles.empty()) return read_qnn(arguments, options);
  const std::vector<Path> paths(arguments.ort_profiles.begin(), arguments.ort_profiles.end());
  return read_ort_profiles(paths, options);
}

Status check_sources(const Arguments& arguments) {
  const bool has_qnn = !arguments.qnn_csv.empty() || !arguments.qhas.empty();
  if (!arguments.first.empty()) {
    return misuse("hone trace parse takes no '" + arguments.first +
                  "': the file's option says what it is");
  }
  if (!has_qnn && arguments.ort_profiles.empty()) {
    return misuse("hone trace parse needs --qnn-csv, --qhas or --ort-profile");
  }
  if (has_qnn && !arguments.ort_profiles.empty()) {
    return misuse("--ort-profile does not go with --qnn-csv and --qhas");
  }
  if (arguments.warmup > 0 && !arguments.qhas.empty() && arguments.qnn_csv.empty()) {
    return misuse("--warmup does not go with --qhas: it holds one inference");
  }
  return done();
}

Status check_times(const Arguments& arguments) {
  const std::array<std::pair<std::string_view, double>, 2> times = {
      {{"--latency-us", arguments.latency_us}, {"--node-floor-us", arguments.node_floor_us}}};
  for (const auto& [option, us] : times) {
    const bool is_time = std::isnan(us) || (std::isfinite(us) && us > 0);
    if (!is_time) return misuse(std::string(option) + " takes a time above 0");
  }
  if (!std::isnan(arguments.node_floor_us) && std::isnan(arguments.latency_us)) {
    return misuse("--node-floor-us needs --latency-us");
  }
  return done();
}

OpTrace reconcile_as_asked(OpTrace trace, const Arguments& arguments) {
  if (std::isnan(arguments.latency_us)) return trace;
  UntracedRun untraced{.median_us = arguments.latency_us};
  if (!std::isnan(arguments.node_floor_us)) untraced.node_floor_us = arguments.node_floor_us;
  return reconcile(std::move(trace), untraced);
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
  if (!arguments.output.empty()) HONE_TRY_DO(write_file(arguments.output, document.dump() + "\n"));
  if (!arguments.perfetto.empty()) {
    HONE_TRY_DO(write_file(arguments.perfetto, perfetto_trace(trace).dump(-1) + "\n"));
  }
  HONE_TRY_DO(call.answer(document, describe_trace(trace, {.top = arguments.top})));
  return ExitCode::done;
}

Result<ExitCode> parse(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_sources(arguments));
  HONE_TRY_DO(check_times(arguments));
  HONE_TRY_DO(check_outputs({arguments.output, arguments.perfetto}, arguments.overwrite,
                            inputs_of(arguments)));
  HONE_TRY(OpTrace trace, as_bad_input(read_trace(arguments)));
  if (!arguments.model.empty()) trace.metadata.model = arguments.model;
  return answer(reconcile_as_asked(std::move(trace), arguments), arguments, call);
}

// A trace as parse and perf write it, or the report of perf that holds one.
Result<OpTrace> load_trace(const std::string& path) {
  HONE_TRY(const std::string text, as_bad_input(read_file(path)));
  const auto read = [&]() -> Result<OpTrace> {
    HONE_TRY(const Json document, Json::parse(text));
    const Json* inside = document.find("op_trace");
    if (inside != nullptr) return from_json<OpTrace>(*inside);
    return from_document<OpTrace>(document, trace_schema_version);
  };
  Result<OpTrace> trace = read();
  if (trace) return trace;
  return fail(Fault::bad_input, "'" + path + "' is no op trace of hone",
              trace.error().what + (trace.error().cause.empty() ? "" : ": " + trace.error().cause),
              "hone trace parse makes one of a tracer's own file");
}

Result<ExitCode> show(const Arguments& arguments, const Call& call) {
  if (arguments.first.empty()) return misuse("hone trace show needs TRACE");
  HONE_TRY_DO(check_times(arguments));
  HONE_TRY_DO(check_outputs({arguments.output, arguments.perfetto}, arguments.overwrite,
                            inputs_of(arguments)));
  HONE_TRY(OpTrace trace, load_trace(arguments.first));
  return answer(reconcile_as_asked(std::move(trace), arguments), arguments, call);
}

Result<ExitCode> compare(const Arguments& arguments, const Call& call) {
  if (arguments.second.empty()) return misuse("hone trace diff needs TRACE and AFTER");
  HONE_TRY(const OpTrace before, load_trace(arguments.first));
  HONE_TRY(const OpTrace after, load_trace(arguments.second));
  for (const OpTrace* trace : {&before, &after}) {
    if (!trace->has_operators()) return report_missing(*trace, call);
  }
  const TraceDiff diff = diff_traces(before, after);
  HONE_TRY_DO(call.answer(to_document(diff, 1), describe_diff(diff, arguments.top)));
  return ExitCode::done;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  if (arguments.action == "parse") return parse(arguments, call);
  if (arguments.action == "show") return show(arguments, call);
  if (arguments.action == "diff") return compare(arguments, call);
  return misuse("hone trace has no '" + arguments.action + "'" +
                did_you_mean(arguments.action, {"parse", "show", "diff"}));
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.positional("ACTION", arguments->action, "parse, show or diff");
  options.text("TRACE", arguments->first, "show, diff: the trace; for diff the one before");
  options.text("AFTER", arguments->second, "diff: the trace to compare it with");
  options.text("--qnn-csv FILE", arguments->qnn_csv, "parse: QNN's profiling CSV");
  options.text("--qhas FILE", arguments->qhas,
               "parse: the QNN viewer's analysis; --qnn-csv beside it stands in for a broken one");
  options.texts("--ort-profile FILE", arguments->ort_profiles,
                "parse: ONNX Runtime's profile; again for each further run");
  options.text("-m,--model MODEL", arguments->model,
               "what ran, a file or a folder: its node types");
  options.integer("--warmup N", arguments->warmup, "parse: inferences at the start to leave out",
                  Need::optional, {.least = 0});
  options.number("--latency-us X", arguments->latency_us,
                 "the median without a tracer; times are reconciled with it");
  options.number("--node-floor-us X", arguments->node_floor_us,
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
