#include "measure/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Log = std::vector<std::string>;

// A monitor that writes down what is done with it.
class FakeMonitor : public OpenMonitor {
 public:
  FakeMonitor(std::string name, Log& log) : name_(std::move(name)), log_(log) {}

  MonitorOptions session{};
  MonitorOptions provider{};
  bool wants_closed = true;
  std::string fails_in{};   // "before_open", ...
  std::string throws_in{};  // likewise
  std::optional<ClosedWindow> seen{};

  MonitorOptions session_options() const override { return session; }
  MonitorOptions provider_options() const override { return provider; }
  bool needs_closed_session() const override { return wants_closed; }
  Status before_open() override { return step("before_open"); }
  Status after_open() override { return step("after_open"); }
  Status before_close() override { return step("before_close"); }
  Result<MonitorFinding> parse(const ClosedWindow& window) override {
    seen = window;
    HONE_TRY_DO(step("parse"));
    return MonitorFinding{.ep_proof = EpProof{.ep = name_}};
  }

 private:
  Status step(const std::string& step) {
    log_.push_back(name_ + " " + step);
    if (throws_in == step) throw std::runtime_error("thrown in " + step);
    if (fails_in == step) return fail(Fault::unsupported, "failed in " + step);
    return done();
  }
  std::string name_;
  Log& log_;
};

struct FakeSession {
  FakeSession(Log& session_log, WindowOptions session_options)
      : log(session_log), options(std::move(session_options)) {
    log.emplace_back("session opened");
  }
  FakeSession(const FakeSession&) = delete;
  FakeSession& operator=(const FakeSession&) = delete;
  ~FakeSession() { log.emplace_back("session destroyed"); }
  Log& log;
  WindowOptions options;
};

class Window : public testing::Test {
 protected:
  Result<WindowOutcome> run() { return run_window(gate, plan, session, steps, clock()); }
  void watch(FakeMonitor& monitor, const std::string& name) {
    plan.watchers.push_back({name, "", &monitor});
  }
  Clock clock() {
    return [this] { return now += Nanoseconds{10}; };
  }

  Log log;
  WindowGate gate;
  WindowPlan plan{.ep = "qnn"};
  std::unique_ptr<FakeSession> session;
  WindowOptions opened_with;
  SessionSteps<FakeSession> steps{
      [this](const WindowOptions& options) -> Result<std::unique_ptr<FakeSession>> {
        opened_with = options;
        return std::make_unique<FakeSession>(log, options);
      },
      [this](FakeSession&) -> Result<RunCounts> {
        log.emplace_back("body");
        return RunCounts{.warmup = 2, .measured = 5};
      }};
  Nanoseconds now{0};
};

TEST_F(Window, DestroysTheSessionBeforeTheMonitorParses) {
  FakeMonitor monitor("m", log);
  watch(monitor, "m");
  const auto outcome = run();
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->body);
  EXPECT_THAT(log, ElementsAre("m before_open", "session opened", "m after_open", "body",
                               "m before_close", "session destroyed", "m parse"));
  EXPECT_EQ(session, nullptr);
}

TEST_F(Window, TellsTheMonitorHowManyRunsThereWereAndWhen) {
  FakeMonitor monitor("m", log);
  watch(monitor, "m");
  ASSERT_TRUE(run());
  EXPECT_EQ(monitor.seen->counts->warmup, 2);
  EXPECT_EQ(monitor.seen->counts->measured, 5);
  EXPECT_EQ(monitor.seen->body_start, Nanoseconds{10});
  EXPECT_EQ(monitor.seen->body_end, Nanoseconds{20});
}

TEST_F(Window, RunsWithoutAnyMonitor) {
  const auto outcome = run();
  EXPECT_TRUE(outcome->body);
  EXPECT_THAT(log, ElementsAre("session opened", "body", "session destroyed"));
  EXPECT_THAT(outcome->notes, IsEmpty());
}

TEST_F(Window, OpensTheSessionWithTheOptionsOfUserAndMonitors) {
  FakeMonitor first("a", log);
  FakeMonitor second("b", log);
  first.session = {{"session.x", "1"}};
  second.provider = {{"profiling_level", "detailed"}};
  watch(first, "a");
  watch(second, "b");
  plan.options.session = {{"session.y", "2"}};
  plan.options.provider = {{"htp_performance_mode", "burst"}};
  ASSERT_TRUE(run());
  EXPECT_EQ(opened_with.session, (MonitorOptions{{"session.x", "1"}, {"session.y", "2"}}));
  EXPECT_EQ(opened_with.provider,
            (MonitorOptions{{"htp_performance_mode", "burst"}, {"profiling_level", "detailed"}}));
}

TEST_F(Window, LetsTheMonitorsOwnOptionWinAndSaysSo) {
  FakeMonitor monitor("m", log);
  monitor.provider = {{"profiling_level", "detailed"}};
  watch(monitor, "m");
  plan.options.provider = {{"profiling_level", "off"}};
  const auto outcome = run();
  EXPECT_EQ(opened_with.provider.at("profiling_level"), "detailed");
  EXPECT_THAT(outcome->notes,
              ElementsAre("monitor 'm' sets profiling_level=detailed in place of off"));
}

TEST_F(Window, RefusesTwoMonitorsThatWantDifferentValuesAndNamesBoth) {
  FakeMonitor first("ort", log);
  FakeMonitor second("openvino", log);
  first.session = {{"session.enable_profiling", "/a"}};
  second.session = {{"session.enable_profiling", "/b"}};
  watch(first, "ort");
  watch(second, "openvino");
  const auto outcome = run();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what,
            "monitors 'ort' and 'openvino' both set the option 'session.enable_profiling'");
  EXPECT_EQ(outcome.error().cause, "to '/a' and to '/b'");
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(Window, AcceptsTwoMonitorsThatWantTheSame) {
  FakeMonitor first("a", log);
  FakeMonitor second("b", log);
  first.session = second.session = {{"k", "v"}};
  watch(first, "a");
  watch(second, "b");
  EXPECT_TRUE(run());
}

TEST_F(Window, RefusesTheSameMonitorTwice) {
  FakeMonitor monitor("m", log);
  watch(monitor, "m");
  watch(monitor, "m");
  EXPECT_EQ(run().error().what, "monitor 'm' is asked for twice");
}

TEST_F(Window, RefusesAMonitorOfAnotherEp) {
  FakeMonitor monitor("openvino", log);
  plan.watchers.push_back({"openvino", "openvino", &monitor});
  EXPECT_EQ(run().error().what,
            "monitor 'openvino' watches sessions on openvino, and this one is on qnn");
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(Window, RefusesAWindowInsideAWindow) {
  Result<WindowOutcome> inner = fail(Fault::runtime, "not run");
  steps.body = [&](FakeSession&) -> Result<RunCounts> {
    inner = run();
    return RunCounts{};
  };
  ASSERT_TRUE(run());
  ASSERT_FALSE(inner);
  EXPECT_EQ(inner.error().what,
            "a measuring window is already open on this session (windows do not nest)");
}

TEST_F(Window, IsFreeAgainAfterAWindowAndAfterARefusal) {
  FakeMonitor monitor("m", log);
  watch(monitor, "m");
  watch(monitor, "m");
  ASSERT_FALSE(run());
  plan.watchers.pop_back();
  EXPECT_TRUE(run());
  EXPECT_TRUE(run());
}

TEST_F(Window, KeepsTheErrorOfTheBodyWhateverTheMonitorDoes) {
  for (const std::string step : {"before_close", "parse"}) {
    FakeMonitor monitor("m", log);
    monitor.throws_in = step;
    plan.watchers = {{"m", "", &monitor}};
    steps.body = [](FakeSession&) -> Result<RunCounts> {
      return fail(Fault::runtime, "cannot run", "bad node");
    };
    const auto outcome = run();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->body.error().what, "cannot run");
    EXPECT_EQ(outcome->body.error().cause, "bad node");
    EXPECT_EQ(outcome->watchers[0].finding.error().cause, "thrown in " + step);
  }
}

TEST_F(Window, ClosesTheSessionAndParsesWhenTheBodyFails) {
  FakeMonitor monitor("m", log);
  watch(monitor, "m");
  steps.body = [](FakeSession&) -> Result<RunCounts> { return fail(Fault::runtime, "no"); };
  ASSERT_TRUE(run());
  EXPECT_THAT(log, ElementsAre("m before_open", "session opened", "m after_open", "m before_close",
                               "session destroyed", "m parse"));
  EXPECT_FALSE(monitor.seen->counts.has_value());
}

TEST_F(Window, TurnsAnExceptionOfTheBodyIntoItsError) {
  FakeMonitor monitor("m", log);
  watch(monitor, "m");
  steps.body = [](FakeSession&) -> Result<RunCounts> { throw std::runtime_error("boom"); };
  const auto outcome = run();
  EXPECT_EQ(outcome->body.error().what, "the measured body failed");
  EXPECT_EQ(outcome->body.error().cause, "boom");
  EXPECT_EQ(log.back(), "m parse");
  EXPECT_EQ(session, nullptr);
}

TEST_F(Window, DoesNotParseWhenTheSessionCouldNotBeOpened) {
  FakeMonitor monitor("m", log);
  watch(monitor, "m");
  steps.open = [](const WindowOptions&) -> Result<std::unique_ptr<FakeSession>> {
    return fail(Fault::bad_input, "cannot open 'x.onnx'");
  };
  const auto outcome = run();
  EXPECT_EQ(outcome->body.error().what, "cannot open 'x.onnx'");
  EXPECT_THAT(log, ElementsAre("m before_open"));
  EXPECT_EQ(outcome->watchers[0].finding.error().what, "monitor 'm' saw nothing");
}

TEST_F(Window, MeasuresOnWhenAMonitorCannotStart) {
  FakeMonitor broken("broken", log);
  FakeMonitor fine("fine", log);
  broken.fails_in = "before_open";
  broken.session = {{"k", "v"}};
  watch(broken, "broken");
  watch(fine, "fine");
  const auto outcome = run();
  EXPECT_TRUE(outcome->body);
  EXPECT_EQ(outcome->watchers[0].finding.error().what, "failed in before_open");
  EXPECT_EQ(outcome->watchers[1].finding->ep_proof->ep, "fine");
  EXPECT_THAT(opened_with.session, IsEmpty());
  EXPECT_THAT(log, ElementsAre("broken before_open", "fine before_open", "session opened",
                               "fine after_open", "body", "fine before_close", "session destroyed",
                               "fine parse"));
}

TEST_F(Window, UsesAnOpenSessionAsItIsWhenNoMonitorAsksForAnything) {
  FakeMonitor monitor("hw", log);
  monitor.wants_closed = false;
  watch(monitor, "hw");
  session = std::make_unique<FakeSession>(log, WindowOptions{});
  log.clear();
  const auto outcome = run();
  EXPECT_THAT(
      log, ElementsAre("hw before_open", "hw after_open", "body", "hw before_close", "hw parse"));
  EXPECT_NE(session, nullptr);
  EXPECT_THAT(outcome->notes, IsEmpty());
}

TEST_F(Window, ClosesAnOpenSessionForAMonitorThatNeedsItClosed) {
  FakeMonitor monitor("m", log);
  watch(monitor, "m");
  session = std::make_unique<FakeSession>(log, WindowOptions{});
  log.clear();
  ASSERT_TRUE(run());
  EXPECT_THAT(log, ElementsAre("m before_open", "m after_open", "body", "m before_close",
                               "session destroyed", "m parse"));
}

TEST_F(Window, ReopensAnOpenSessionForNewOptionsAndSaysSo) {
  FakeMonitor monitor("qnn", log);
  monitor.provider = {{"profiling_level", "detailed"}};
  watch(monitor, "qnn");
  session = std::make_unique<FakeSession>(log, WindowOptions{});
  log.clear();
  const auto outcome = run();
  EXPECT_THAT(outcome->notes,
              ElementsAre("the open session is closed and opened again with the options of 'qnn'"));
  EXPECT_THAT(
      log, ElementsAre("session destroyed", "qnn before_open", "session opened", "qnn after_open",
                       "body", "qnn before_close", "session destroyed", "qnn parse"));
}

TEST_F(Window, ParsesWithEveryMonitorInTurn) {
  FakeMonitor first("a", log);
  FakeMonitor second("b", log);
  first.fails_in = "parse";
  watch(first, "a");
  watch(second, "b");
  const auto outcome = run();
  EXPECT_EQ(outcome->watchers[0].finding.error().what, "failed in parse");
  EXPECT_TRUE(outcome->watchers[1].finding);
}

}  // namespace
}  // namespace hone
