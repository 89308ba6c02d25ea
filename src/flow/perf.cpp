#include "flow/perf.h"

#include <algorithm>

#include "base/counted.h"
#include "base/misuse.h"
#include "base/utc.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/node_types.h"
#include "flow/where.h"
#include "inspect/facts.h"
#include "model/denormals.h"
#include "pipeline/policy.h"
#include "record/machine_facts.h"
#include "report/perf/denormals_text.h"
#include "runtime/target.h"

namespace hone {
namespace {

Result<RunPlan> run_plan(const PerfOrder& order, const GivenModel& given) {
  HONE_TRY(RunPlan plan, plan_of(given));
  plan.input_data = order.input_data;
  plan.shape_config = order.shape_config;
  plan.batch_size = order.batches.empty() ? order.batch_size : order.batches.front();
  plan.streams = order.streams.empty() ? 1 : order.streams.front();
  plan.samples = order.samples;
  plan.seed = order.seed;
  return plan;
}

LoopPlan loop_plan(const PerfOrder& order, std::int64_t streams) {
  LoopPlan plan;
  // Ten runs of a slow model are no warm-up that anybody asked for.
  plan.most_warmup = std::chrono::seconds(2);
  if (order.warmup) {
    plan.warmup = static_cast<std::uint64_t>(*order.warmup);
    plan.most_warmup = Nanoseconds{0};
  }
  // Each stream makes as many.
  plan.iterations = static_cast<std::uint64_t>(order.iterations * streams);
  if (order.duration_s) {
    plan.duration = std::chrono::duration_cast<Nanoseconds>(
        std::chrono::duration<double>(std::min(*order.duration_s, 1e6)));
  }
  return plan;
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

Status check(const PerfOrder& order) {
  constexpr std::int64_t most_sessions = 1000;
  constexpr std::int64_t most_streams = 256;
  constexpr std::int64_t most_batch = 1 << 20;
  constexpr double longest_cool_down_s = 3600;
  const auto are_within = [](const std::vector<std::int64_t>& values, std::int64_t most) {
    return std::ranges::all_of(values, [&](std::int64_t one) { return one >= 1 && one <= most; });
  };
  if (order.sessions < 1 || order.sessions > most_sessions)
    return misuse("'sessions' cannot be " + std::to_string(order.sessions), "it takes 1 to 1000");
  if (!are_within(order.streams, most_streams))
    return misuse("'streams' takes 1 to 256 at once", "hone help perf");
  if (!are_within(order.batches, most_batch))
    return misuse("'batches' takes sizes above 0", "hone help perf");
  if (!(order.cool_down_s >= 0 && order.cool_down_s <= longest_cool_down_s))
    return misuse("'cool_down_s' cannot be that long", "it takes up to an hour");
  return done();
}

// What was asked for; what was measured is already in `info`.
void add_request(const PerfOrder& order, const PerfPlan& plan, PerfBenchmarkInfo& info) {
  info.model_id = order.model;
  info.running_model_path = plan.run.model;
  info.ep = plan.run.target.ep;
  if (info.device.empty()) info.device = usual_device(plan.run.target);
  info.ep_options = plan.run.target.options;
  info.session_options = plan.run.session_options;
  if (plan.run.threads > 0) info.threads = plan.run.threads;
  if (plan.loop.duration > Nanoseconds{0}) info.duration_sec = order.duration_s;
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

// A model as it was read, and what is known of it before it runs.
struct ReadModel {
  GivenModel given;
  ModelFacts facts;
  NodeTypes node_types;
  DenormalCount weights;
};

Result<ReadModel> read_model(const PerfOrder& order) {
  ReadModel read;
  HONE_TRY(read.given, find_model(order.model, order.where));
  HONE_TRY(const Model model, load_whole_model(read.given.file));
  HONE_TRY(read.facts, gather_facts(model, read.given.file));
  read.weights = count_denormal_weights(model);
  if (order.tracing) read.node_types = node_types_of(model);
  return read;
}

Result<PerfPlan> make_plan(const PerfOrder& order, const ReadModel& read) {
  PerfPlan plan;
  HONE_TRY(plan.run, run_plan(order, read.given));
  plan.loop = loop_plan(order, plan.run.streams);
  plan.sessions = static_cast<std::size_t>(order.sessions);
  plan.cool_down =
      std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(order.cool_down_s));
  plan.watches_hardware = order.watches_hardware;
  plan.program = order.where.host.program;
  plan.limits.open = std::chrono::seconds(order.timeout_s);
  plan.limits.block = std::chrono::seconds(order.timeout_s);
  const bool may_flush = plan.run.target.ep == "cpu" &&
                         !plan.run.session_options.contains("session.set_denormal_as_zero");
  plan.tries_denormals_as_zero = may_flush && (read.weights.denormal > 0 || order.tracing);
  plan.tracing = order.tracing;
  plan.node_types = read.node_types;
  plan.qnn_sdk = order.qnn_sdk;
  return plan;
}

PerfPoint point_of(const PerfResult& result, const RunPlan& plan) {
  PerfPoint point;
  point.batch_size = result.benchmark_info.effective_batch_size.value_or(plan.batch_size);
  point.streams = plan.streams;
  point.iterations = result.benchmark_info.iterations;
  point.latency_ms = result.latency_ms;
  point.throughput = result.throughput;
  point.energy = result.energy;
  return point;
}

// A row is of the batch it says.
Result<PerfPoint> checked(PerfPoint point, const RunPlan& plan) {
  if (plan.batch_size == 0 || point.batch_size == plan.batch_size) return point;
  return fail(Fault::bad_input, "a batch of " + std::to_string(point.batch_size) +
                                    " was fed: the model or the data fixes it");
}

// One more point; where it cannot be measured it says why.
Result<PerfPoint> measure_point(const PerfOrder& order, PerfPlan plan, const PerfWatch& watch) {
  plan.loop = loop_plan(order, plan.run.streams);
  plan.run.shape_config = order.shape_config;
  HONE_TRY(const SettledInputs inputs, settle_inputs(plan.run, order.where.host));
  plan.run.shape_config = inputs.shape_config;
  PerfHooks hooks;
  hooks.stop = watch.watch.stop;
  HONE_TRY(const PerfResult result, measure_perf(plan, hooks));
  return checked(point_of(result, plan.run), plan.run);
}

PerfPoint failed_point(std::int64_t batch, std::int64_t streams, const Error& error) {
  PerfPoint failed;
  failed.batch_size = batch;
  failed.streams = streams;
  failed.error = error.what + (error.cause.empty() ? "" : ": " + error.cause);
  return failed;
}

// The other batches and streams that were asked for; the first is what was measured already.
void sweep(const PerfOrder& order, PerfPlan plan, const PerfWatch& watch, PerfResult& result) {
  if (order.batches.size() < 2 && order.streams.size() < 2) return;
  const std::vector<std::int64_t> batches =
      order.batches.empty() ? std::vector{plan.run.batch_size} : order.batches;
  const std::vector<std::int64_t> streams =
      order.streams.empty() ? std::vector{plan.run.streams} : order.streams;
  plan.tracing.reset();
  plan.tries_denormals_as_zero = false;
  const Result<PerfPoint> first = checked(point_of(result, plan.run), plan.run);
  result.points.push_back(
      first ? *first : failed_point(plan.run.batch_size, plan.run.streams, first.error()));
  for (const std::int64_t batch : batches) {
    for (const std::int64_t stream_count : streams) {
      const bool is_first = batch == batches.front() && stream_count == streams.front();
      const bool is_stopped = watch.watch.stop != nullptr && watch.watch.stop->load();
      if (is_first || is_stopped) continue;
      watch.watch.step("batch " + std::to_string(batch) + ", " +
                       counted(static_cast<std::uint64_t>(stream_count), "stream"));
      plan.run.batch_size = batch;
      plan.run.streams = stream_count;
      Result<PerfPoint> point = measure_point(order, plan, watch);
      result.points.push_back(point ? *std::move(point)
                                    : failed_point(batch, stream_count, point.error()));
    }
  }
}

// What the tracer writes is kept where it is asked for, or not at all.
Status make_trace_folder(const PerfOrder& order, PerfPlan& plan,
                         std::optional<TemporaryFolder>& temporary) {
  if (!plan.tracing) return done();
  if (order.trace_folder.empty()) {
    HONE_TRY(TemporaryFolder made, TemporaryFolder::create("trace"));
    plan.trace_folder = temporary.emplace(std::move(made)).path();
    return done();
  }
  plan.trace_folder = order.trace_folder;
  std::error_code problem;
  std::filesystem::create_directories(plan.trace_folder, problem);
  if (!problem) return done();
  return fail(Fault::io, "cannot make the folder '" + order.trace_folder + "'", problem.message());
}

Result<PerfResult> measure(const PerfOrder& order, const PerfPlan& plan, const PerfWatch& watch) {
  PerfHooks hooks;
  if (watch.begin)
    hooks.live = watch.begin({plan.run.model + " on " + describe(plan.run.target), plan.loop});
  hooks.stop = watch.watch.stop;
  hooks.watchers = watch.watchers;
  hooks.accept = [&](const WorkerOpened& opened) {
    for (const std::string& warning : opened.warnings)
      if (watch.warn) watch.warn(warning);
    return check_placement(order.where, opened.placement);
  };
  return measure_perf(plan, hooks);
}

}  // namespace

Result<PerfResult> measure_model(const PerfOrder& order, const PerfWatch& watch) {
  HONE_TRY_DO(check(order));
  // Reading the model is part of it.
  const Nanoseconds began = steady_now();
  HONE_TRY(const ReadModel read, read_model(order));
  HONE_TRY(PerfPlan plan, make_plan(order, read));
  if (order.most_seconds > 0) plan.deadline = began + std::chrono::seconds(order.most_seconds);
  HONE_TRY(const SettledInputs inputs, settle_inputs(plan.run, order.where.host));
  plan.run.shape_config = inputs.shape_config;
  std::optional<TemporaryFolder> temporary;
  HONE_TRY_DO(make_trace_folder(order, plan, temporary));
  HONE_TRY(PerfResult result, measure(order, plan, watch));
  add_request(order, plan, result.benchmark_info);
  sweep(order, plan, watch, result);
  result.notes.insert(result.notes.begin(), inputs.notes.begin(), inputs.notes.end());
  result.notes.insert(result.notes.begin(), read.given.notes.begin(), read.given.notes.end());
  add_notes(plan, result);
  add_denormals(read.weights, result);
  result.model_info = model_info(read.facts);
  result.machine = machine_of(read_machine());
  result.repeat = order.repeat;
  if (temporary && result.op_trace) result.op_trace->artifacts.clear();
  return result;
}

Result<PerfResult> measure_model(const PerfOrder& order, const Watch& watch) {
  watch.step("measuring '" + order.model + "'");
  return measure_model(order, PerfWatch{.watch = watch});
}

Job jobs::perf() {
  return job_of(static_cast<Result<PerfResult> (*)(const PerfOrder&, const Watch&)>(measure_model));
}

}  // namespace hone
