// Measuring through workers, monitors and the simulated accelerator, on the real ONNX Runtime: what
// a session leaves behind and how it may fail.

#include "measure/perf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/window.h"
#include "ort_library.h"

namespace hone {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Contains;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

class Perf : public testing::Test {
 protected:
  PerfPlan plan_on(const std::string& ep, std::map<std::string, std::string> options = {}) {
    PerfPlan plan;
    plan.run.model = HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
    plan.run.ort = {ort_library()};
    plan.run.target = {.ep = ep, .device = "auto", .options = std::move(options)};
    if (ep == "sim") plan.run.ep_libraries = {{"hone.virtual", HONE_EP_LIBRARY}};
    plan.loop = {.warmup = 2, .iterations = 5};
    plan.program = HONE_PROGRAM;
    return plan;
  }
  PerfPlan traced(PerfPlan plan) {
    plan.tracing = TraceLevel::basic;
    plan.trace_folder = folder.path();
    return plan;
  }
  Path csv() const { return folder.path() / "qnn_profile.csv"; }

  TemporaryFolder folder = TemporaryFolder::create("perf").value();
};

TEST_F(Perf, SaysHowFastAModelRunsAndWhere) {
  const auto result = measure_perf(plan_on("cpu"));
  ASSERT_TRUE(result) << result.error().what << ": " << result.error().cause;
  EXPECT_EQ(result->raw_samples_ms.size() + result->warmup_samples_ms.size(), 7u);
  EXPECT_GT(result->latency_ms.min.value(), 0);
  EXPECT_GT(result->cold_start.runtime_ms.value(), 0);
  EXPECT_GT(result->cold_start.load_ms.value(), 0);
  EXPECT_GT(result->cold_start.first_inference_ms.value(), 0);
  EXPECT_GT(result->throughput.samples_per_sec.value(), 0);
  EXPECT_EQ(result->placement->shares.front().ep, "cpu");
  EXPECT_GT(result->placement->total_nodes(), 0u);
  EXPECT_EQ(result->benchmark_info.device, "cpu");
  EXPECT_FALSE(result->op_trace);
  EXPECT_FALSE(result->hw_monitor);
}

TEST_F(Perf, MeasuresSeveralFreshProcessesAndKeepsTheRunsOfAll) {
  PerfPlan plan = plan_on("cpu");
  plan.sessions = 3;
  const auto result = measure_perf(plan);
  ASSERT_TRUE(result) << result.error().what << ": " << result.error().cause;
  const PerfSessions& sessions = result->sessions.value();
  ASSERT_THAT(sessions.sessions, SizeIs(3));
  EXPECT_THAT(sessions.interval_ms, SizeIs(2));
  EXPECT_LE(sessions.interval_ms[0], sessions.latency_ms.value());
  EXPECT_GE(sessions.interval_ms[1], sessions.latency_ms.value());
  std::uint64_t iterations = 0;
  for (const PerfSession& session : sessions.sessions) iterations += session.iterations;
  EXPECT_EQ(result->raw_samples_ms.size(), iterations);
  EXPECT_EQ(result->benchmark_info.iterations, iterations);
}

TEST_F(Perf, KeepsTheSessionsThatWereMeasuredWhenItIsStopped) {
  PerfPlan plan = plan_on("cpu");
  plan.sessions = 5;
  std::atomic<bool> stop = false;
  int opened = 0;
  PerfHooks hooks;
  hooks.accept = [&](const WorkerOpened&) {
    stop = ++opened == 2;
    return done();
  };
  hooks.stop = &stop;
  const auto stopped = measure_perf(plan, hooks);
  ASSERT_TRUE(stopped) << stopped.error().what << ": " << stopped.error().cause;
  EXPECT_THAT(stopped->sessions->sessions, SizeIs(1));
  EXPECT_THAT(stopped->notes, Contains("it ended after 1 session of 5"));
}

TEST_F(Perf, CountsWhatStreamsDoTogetherByTheClock) {
  PerfPlan plan = plan_on("cpu");
  plan.run.streams = 2;
  plan.run.threads = 1;
  plan.loop.iterations = 10;
  const auto result = measure_perf(plan);
  ASSERT_TRUE(result) << result.error().what << ": " << result.error().cause;
  EXPECT_EQ(result->benchmark_info.streams, 2);
  EXPECT_GT(result->throughput.samples_per_sec.value(), 0);
  EXPECT_FALSE(result->sessions);
}

TEST_F(Perf, TellsTransfersWhereOutputsStayOnTheDevice) {
  PerfPlan plan = plan_on("cpu");
  plan.run.io_binding = IoBinding::device;
  const auto result = measure_perf(plan);
  ASSERT_TRUE(result) << result.error().what << ": " << result.error().cause;
  EXPECT_EQ(result->benchmark_info.io_binding, IoBinding::device);
  EXPECT_GT(result->transfers.value().p50_device_ms, 0);
}

TEST_F(Perf, MeasuresTheMemoryOfTheSessionAndNotOfUs) {
  const auto result = measure_perf(plan_on("cpu"));
  const PerfMemory& memory = result->memory.value();
  EXPECT_GT(memory.rss_baseline_mb.value(), 0);
  EXPECT_GT(memory.rss_after_compile_mb.value(), memory.rss_baseline_mb.value());
  EXPECT_GE(memory.rss_peak_mb.value(), memory.rss_after_compile_mb.value());
  EXPECT_EQ(memory.peak_source, "kernel");
}

TEST_F(Perf, BindsTheSimulatedNpuAndSaysWhatItTook) {
  const auto result = measure_perf(plan_on("sim", {{"deny", "Gemm,MatMul"}}));
  ASSERT_TRUE(result) << result.error().what << ": " << result.error().cause;
  EXPECT_EQ(result->benchmark_info.device, "npu");
  const std::vector<EpShare>& shares = result->placement->shares;
  ASSERT_THAT(shares, SizeIs(2));
  EXPECT_EQ(shares[0].ep, "sim");
  EXPECT_GT(shares[0].nodes, shares[1].nodes);
  EXPECT_EQ(shares[1].ep, "cpu");
  EXPECT_TRUE(shares[1].op_counts.contains("Gemm") || shares[1].op_counts.contains("MatMul"));
}

TEST_F(Perf, AsksBeforeItMeasures) {
  PerfHooks hooks;
  hooks.accept = [](const WorkerOpened&) -> Status { return fail(Fault::unsupported, "not so"); };
  EXPECT_EQ(measure_perf(plan_on("cpu"), hooks).error().what, "not so");
}

TEST_F(Perf, WatchesTheWorkersHardwareFigures) {
  PerfPlan plan = plan_on("cpu");
  plan.loop = {.warmup = 1, .duration = milliseconds(300)};
  plan.watches_hardware = true;
  PerfLive live;
  const auto result = measure_perf(plan, {.live = &live});
  const HwMonitorRecord& hardware = result->hw_monitor.value();
  EXPECT_GT(hardware.cpu.process_mean_pct.value(), 20) << "the worker computes, and we wait";
  EXPECT_NEAR(hardware.ram.peak_mb.value(), result->memory->rss_peak_mb.value(), 200);
  EXPECT_GT(live.meter.iterations, 0u);
  EXPECT_EQ(live.phase, PerfPhase::finished);
}

TEST_F(Perf, TracesOperatorsOfAnyEpThroughOnnxRuntimesProfiler) {
  const auto result = measure_perf(traced(plan_on("cpu")));
  const OpTrace& trace = result->op_trace.value();
  ASSERT_EQ(trace.status, TraceStatus::ok) << trace.error.value_or("");
  EXPECT_EQ(trace.metadata.num_samples, 5);
  EXPECT_THAT(trace.operators, Contains(testing::Field(&TraceOperator::op_type, "Conv")));
  EXPECT_TRUE(trace.summary.correction) << "it is held to the untraced run";
  EXPECT_TRUE(trace.metadata.timestamp);
  EXPECT_EQ(trace.metadata.times, TraceTimes::operators);
  EXPECT_NEAR(trace.summary.total_us.value(), result->latency_ms.p50.value() * 1000, 1e-6);
}

TEST_F(Perf, ReadsTheTraceOfAnEpOnceItsSessionIsGone) {
  const auto result = measure_perf(traced(plan_on("sim")));
  const OpTrace& trace = result->op_trace.value();
  ASSERT_EQ(trace.status, TraceStatus::ok) << trace.error.value_or("");
  EXPECT_EQ(trace.metadata.ep, "HoneSim");
  EXPECT_EQ(trace.metadata.num_samples, 5) << "neither the first inference nor warm-up";
  double percent = 0;
  for (const TraceOperator& op : trace.operators) percent += op.percent_of_total;
  EXPECT_NEAR(percent, 100, 1e-6);
}

TEST_F(Perf, TakesNoLatencyFromATracedSession) {
  // The simulator writes its CSV for the traced session alone: five runs, three of warm-up and the
  // first; the seven of the untraced session are not among them.
  ASSERT_TRUE(measure_perf(traced(plan_on("sim"))));
  const std::string rows = read_file(csv()).value();
  std::size_t inferences = 0;
  const std::string mark = "Accelerator (execute) time (cycles)";
  for (std::size_t at = rows.find(mark); at != std::string::npos; at = rows.find(mark, at + 1)) {
    ++inferences;
  }
  EXPECT_EQ(inferences, 9u);
}

TEST_F(Perf, SaysThatThereIsNoTraceWhenTheEpTookNoNode) {
  const auto result = measure_perf(traced(plan_on("sim", {{"allow", "Conv3DThatIsNotThere"}})));
  ASSERT_TRUE(result) << "the latency stands";
  EXPECT_GT(result->latency_ms.p50.value(), 0);
  EXPECT_EQ(result->op_trace->status, TraceStatus::no_data);
  EXPECT_TRUE(result->op_trace->operators.empty());
  EXPECT_THAT(result->op_trace->error.value(), HasSubstr("another EP"));
}

TEST_F(Perf, DoesNotTakeAnOldCsvForATrace) {
  ASSERT_TRUE(measure_perf(traced(plan_on("sim"))));
  ASSERT_TRUE(std::filesystem::exists(csv()));
  const auto result = measure_perf(traced(plan_on("sim", {{"allow", "Conv3DThatIsNotThere"}})));
  EXPECT_EQ(result->op_trace->status, TraceStatus::no_data);
  EXPECT_TRUE(result->op_trace->operators.empty());
}

TEST_F(Perf, ReadsOnlyItsOwnRowsOfACsvThatWasThere) {
  ASSERT_TRUE(measure_perf(traced(plan_on("sim"))));
  const auto result = measure_perf(traced(plan_on("sim")));
  EXPECT_EQ(result->op_trace->status, TraceStatus::ok) << result->op_trace->error.value_or("");
  EXPECT_EQ(result->op_trace->metadata.num_samples, 5);
}

TEST_F(Perf, NamesTheSignalOfAnEpThatCrashesWhileOpening) {
  const auto result = measure_perf(plan_on("sim", {{"crash", "compile"}}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::runtime);
  EXPECT_THAT(result.error().what, HasSubstr("SIGSEGV"));
}

TEST_F(Perf, NamesTheSignalOfAnEpThatCrashesWhileRunning) {
  const auto result = measure_perf(plan_on("sim", {{"crash", "run:4"}}));
  EXPECT_THAT(result.error().what, HasSubstr("SIGSEGV"));
}

TEST_F(Perf, KeepsTheLatencyWhenOnlyTheTracedSessionCrashes) {
  // Run 1 is the first inference, 2 and 3 warm-up, 4 to 8 measured; the traced session goes on
  // to 9.
  const auto result = measure_perf(traced(plan_on("sim", {{"crash", "run:9"}})));
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_GT(result->latency_ms.p50.value(), 0);
  EXPECT_EQ(result->op_trace->status, TraceStatus::no_data);
  EXPECT_THAT(result->op_trace->error.value(), HasSubstr("SIGSEGV"));
}

TEST_F(Perf, EndsAnEpThatHangsAtTheTimeLimit) {
  PerfPlan plan = plan_on("sim", {{"hang", "run:2"}});
  plan.limits.block = milliseconds(300);
  const auto result = measure_perf(plan);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::timeout);
}

TEST_F(Perf, EndsAnEpThatHangsWhileOpeningAtTheTimeLimit) {
  PerfPlan plan = plan_on("sim", {{"hang", "compile"}});
  plan.limits.open = milliseconds(2000);
  EXPECT_EQ(measure_perf(plan).error().fault, Fault::timeout);
}

TEST_F(Perf, SaysWhatARunTakesWhenTheTimeEndsBeforeOneIsMeasured) {
  PerfPlan plan = plan_on("sim", {{"hang", "run:2"}});
  plan.limits.block = milliseconds(300);
  plan.deadline = steady_now() + std::chrono::hours(1);
  PerfHooks hooks;
  hooks.accept = [&](const WorkerOpened&) {
    plan.deadline = steady_now();
    return done();
  };
  const auto result = measure_perf(plan, hooks);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::timeout);
  EXPECT_THAT(result.error().hint,
              testing::MatchesRegex("opening took [0-9.]+ s and the first run [0-9.]+ s: give it "
                                    "more time \\(--max-time\\)"));
}

TEST_F(Perf, SaysThatTheTimeEndedBeforeTheModelWasOpen) {
  PerfPlan plan = plan_on("sim", {{"hang", "compile"}});
  plan.deadline = steady_now() + milliseconds(300);
  const auto result = measure_perf(plan);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, testing::StartsWith("the time was over while opening '"));
  EXPECT_EQ(result.error().hint, "give it more time (--max-time)");
}

TEST_F(Perf, SurvivesALibraryThatCrashesOnRegistration) {
  PerfPlan plan = plan_on("sim");
  plan.environment = {{"HONE_SIM_CRASH", "register"}};
  EXPECT_THAT(measure_perf(plan).error().what, HasSubstr("SIGSEGV"));
}

TEST_F(Perf, IsNotConfusedByAnEpThatPrints) {
  const auto result = measure_perf(plan_on("sim", {{"stdout_noise", "1"}}));
  ASSERT_TRUE(result) << result.error().what << ": " << result.error().cause;
  EXPECT_EQ(result->raw_samples_ms.size() + result->warmup_samples_ms.size(), 7u);
}

TEST_F(Perf, RefusesAnEpThatIsNotThere) {
  const auto result = measure_perf(plan_on("qnn"));
  EXPECT_EQ(result.error().what, "qnn is not here: there is no device for it");
  EXPECT_THAT(result.error().cause, HasSubstr("offers: cpu"));
}

// A window around a worker, with monitors of the caller's choice.
class PerfWindow : public Perf {
 protected:
  std::unique_ptr<OpenMonitor> open(const Monitor& monitor, const Path& where) {
    std::filesystem::create_directories(where);
    MonitorSettings settings;
    settings.ep = "sim";
    settings.folder = where;
    settings.hw.process = std::to_string(worker.process_id());
    return monitor.open(settings).value();
  }
  WindowSteps steps() {
    WindowSteps steps;
    steps.open = [this](const WindowOptions& options) -> Status {
      events.push_back("open");
      RunPlan plan = plan_on("sim").run;
      plan.target.options = options.provider;
      HONE_TRY_DO(worker.open(plan));
      return done();
    };
    steps.body = [this]() -> Result<RunCounts> {
      HONE_TRY_DO(worker.run({.iterations = 3}));
      events.push_back(std::filesystem::exists(csv()) ? "csv is there" : "no csv yet");
      return RunCounts{.warmup = 1, .measured = 3};
    };
    steps.close = [this] {
      events.push_back(worker.close() ? "close" : "close failed");
      events.push_back(std::filesystem::exists(csv()) ? "csv is there" : "no csv yet");
    };
    return steps;
  }

  Worker worker = Worker::start(HONE_PROGRAM, {}).value();
  WindowGate gate;
  std::vector<std::string> events;
};

TEST_F(PerfWindow, ParsesAfterTheSessionIsGoneWhenTheEpHasWritten) {
  const auto monitor = open(monitors::sim(), folder.path());
  const WindowPlan plan{.watchers = {{"sim", "sim", monitor.get()}}, .ep = "sim"};
  const auto outcome = run_window(gate, plan, steps());
  EXPECT_EQ(events, (std::vector<std::string>{"open", "no csv yet", "close", "csv is there"}));
  EXPECT_EQ(outcome->watchers.at(0).finding->op_trace->status, TraceStatus::ok);
}

TEST_F(PerfWindow, TakesTwoMonitorsAtOnce) {
  const auto tracer = open(monitors::sim(), folder.path());
  const auto hardware = open(monitors::hw(), folder.path());
  const WindowPlan plan{.watchers = {{"hw", "", hardware.get()}, {"sim", "sim", tracer.get()}},
                        .ep = "sim"};
  const auto outcome = run_window(gate, plan, steps());
  ASSERT_TRUE(outcome->body) << outcome->body.error().what;
  EXPECT_TRUE(outcome->watchers.at(0).finding->hw_monitor);
  EXPECT_EQ(outcome->watchers.at(1).finding->op_trace->status, TraceStatus::ok);
}

TEST_F(PerfWindow, RefusesTwoMonitorsThatWantDifferentFilesAndNamesBoth) {
  const auto first = open(monitors::sim(), folder.path());
  const auto second = open(monitors::sim(), folder.path() / "other");
  const WindowPlan plan{.watchers = {{"sim", "sim", first.get()}, {"other", "sim", second.get()}},
                        .ep = "sim"};
  const auto outcome = run_window(gate, plan, steps());
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().what,
              AllOf(HasSubstr("'sim'"), HasSubstr("'other'"), HasSubstr("profiling_file_path")));
  EXPECT_TRUE(events.empty()) << "nothing was opened";
}

TEST_F(PerfWindow, KeepsTheErrorOfTheBodyWhenTheEpCrashes) {
  const auto monitor = open(monitors::sim(), folder.path());
  const WindowPlan plan{.watchers = {{"sim", "sim", monitor.get()}},
                        .options = {.session = {}, .provider = {{"crash", "run:2"}}},
                        .ep = "sim"};
  const auto outcome = run_window(gate, plan, steps());
  EXPECT_THAT(outcome->body.error().what, HasSubstr("SIGSEGV"));
  const auto& finding = outcome->watchers.at(0).finding;
  EXPECT_TRUE(!finding || !finding->op_trace->has_operators());
}

}  // namespace
}  // namespace hone
