#include "measure/trace/reconcile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "measure/trace/samples.h"

namespace hone {
namespace {

TraceOperator node(std::string path, std::vector<double> samples) {
  TraceOperator op;
  op.op_path = std::move(path);
  op.op_type = "Conv";
  op.provider = "CPUExecutionProvider";
  op.node_index = 1;
  op.samples_us = std::move(samples);
  op.duration_us = median_of(op.samples_us);
  return op;
}

OpTrace traced(std::vector<TraceOperator> operators, double gaps_us = 0,
               TraceSource source = TraceSource::ort_profile) {
  OpTrace trace;
  trace.status = TraceStatus::ok;
  trace.metadata.source = source;
  trace.metadata.statistic = TraceStatistic::median;
  trace.operators = std::move(operators);
  trace.summary.accounted_us = accounted_in(trace);
  trace.summary.gaps_us = gaps_us;
  trace.summary.total_us = trace.summary.traced_total_us = trace.summary.accounted_us + gaps_us;
  fill_shares(trace);
  sort_operators(trace);
  return trace;
}

std::vector<TraceOperator> nodes_of(const std::vector<double>& times_us) {
  std::vector<TraceOperator> operators;
  operators.reserve(times_us.size());
  for (const double us : times_us) {
    operators.push_back(node("n" + std::to_string(operators.size()), {us}));
  }
  return operators;
}

const TraceOperator& op_at(const OpTrace& trace, std::string_view path) {
  return *std::ranges::find(trace.operators, path, &TraceOperator::op_path);
}

TEST(Reconcile, TakesTheFloorOffEveryNode) {
  const OpTrace trace =
      reconcile(traced({node("big", {103}), node("small", {5}), node("nothing", {3})}, 9),
                {.median_us = 110, .node_floor_us = 3});
  EXPECT_EQ(op_at(trace, "big").duration_us, 100);
  EXPECT_EQ(op_at(trace, "small").duration_us, 2);
  EXPECT_EQ(op_at(trace, "nothing").duration_us, 0);
  EXPECT_EQ(op_at(trace, "small").traced_us, 5);
  EXPECT_EQ(trace.summary.correction->floor_source, "calibration");
  EXPECT_EQ(trace.summary.correction->removed_us, 9);
  EXPECT_NEAR(trace.summary.correction->removed_share, 9.0 / 111, 1e-12);
}

TEST(Reconcile, HoldsOperatorsAndGapsToTheUntracedRun) {
  const OpTrace trace =
      reconcile(traced({node("a", {60}), node("b", {20})}, 20), {.median_us = 100});
  EXPECT_EQ(trace.summary.total_us, 100);
  EXPECT_EQ(trace.summary.accounted_us, 80)
      << "no slower than the untraced run: nothing to correct";
  EXPECT_EQ(trace.summary.gaps_us, 20);
  EXPECT_EQ(trace.summary.untraced_share, 0.2);
  EXPECT_EQ(trace.summary.correction->removed_us, 0);
  EXPECT_EQ(trace.summary.correction->floor_source, "none");
}

TEST(Reconcile, ScalesWhatIsStillLongerThanTheUntracedRun) {
  const OpTrace trace = reconcile(
      traced({node("a", {300}), node("b", {100})}, 0, TraceSource::qnn_csv), {.median_us = 100});
  EXPECT_EQ(op_at(trace, "a").duration_us, 75);
  EXPECT_EQ(op_at(trace, "a").percent_of_total, 75);
  EXPECT_EQ(trace.summary.correction->scale, 0.25);
  EXPECT_EQ(trace.summary.gaps_us, 0);
}

TEST(Reconcile, FindsTheFloorInTheTrace) {
  std::vector<double> times(100, 12);
  std::fill_n(times.begin(), 50, 2.0);
  // 100 nodes cost 2 us each more than without the profiler, and 3 us between two of them.
  const OpTrace trace = reconcile(traced(nodes_of(times), 300), {.median_us = 550});
  EXPECT_EQ(trace.summary.correction->floor_source, "trace");
  EXPECT_EQ(trace.summary.correction->floor_us, 2);
  EXPECT_EQ(op_at(trace, "n0").duration_us, 0);
  EXPECT_EQ(op_at(trace, "n99").duration_us, 10);
}

TEST(Reconcile, ANodeAroundOthersIsNoFloor) {
  std::vector<TraceOperator> operators = nodes_of({3, 3, 4, 50});
  for (TraceOperator& op : operators) op.parent = "if";
  operators.push_back(node("if", {0}));
  const OpTrace trace = reconcile(traced(operators), {.median_us = 45});
  EXPECT_EQ(trace.summary.correction->floor_us, 3);
}

TEST(Reconcile, TakesNoMoreThanTheTracerCost) {
  // Five nodes of 10 ms: the fastest is no floor, and 25 us is all the tracer added.
  const OpTrace trace =
      reconcile(traced(nodes_of(std::vector<double>(5, 10'000))), {.median_us = 49'975});
  EXPECT_EQ(trace.summary.correction->floor_us, 5);
}

TEST(Reconcile, NeverTakesLargeOperatorsForTheFloor) {
  const OpTrace trace =
      reconcile(traced(nodes_of(std::vector<double>(5, 10'000))), {.median_us = 30'000});
  EXPECT_EQ(trace.summary.correction->floor_us, 20);
  EXPECT_NEAR(*trace.summary.total_us, trace.summary.accounted_us, 1e-9);
}

TEST(Reconcile, CountsTheFloorForEveryExecution) {
  TraceOperator loop = node("body", {100});
  loop.calls = 10;
  const OpTrace trace = reconcile(traced({loop}), {.median_us = 80, .node_floor_us = 3});
  EXPECT_EQ(trace.operators[0].duration_us, 70);
}

TEST(Reconcile, TakesNoFloorOffAKernelThatTheDeviceTimed) {
  TraceOperator kernel = node("kernel", {50});
  kernel.node_index.reset();
  kernel.parent = "fused";
  const OpTrace trace =
      reconcile(traced({kernel, node("fused", {10})}), {.median_us = 80, .node_floor_us = 3});
  EXPECT_EQ(op_at(trace, "kernel").duration_us, 50);
  EXPECT_EQ(op_at(trace, "fused").duration_us, 7);
}

TEST(Reconcile, TakesNoFloorOffCycleCounters) {
  const OpTrace trace = reconcile(
      traced({node("a", {30}), node("b", {10})}, 60, TraceSource::qnn_csv), {.median_us = 90});
  EXPECT_EQ(trace.summary.correction->floor_us, 0);
  EXPECT_EQ(trace.summary.gaps_us, 50);
}

TEST(Reconcile, KeepsTheSharesWhereAllIsAtTheFloor) {
  const OpTrace trace = reconcile(traced({node("a", {2}), node("b", {2})}, 10), {.median_us = 3});
  EXPECT_EQ(trace.summary.correction->floor_us, 0);
  EXPECT_EQ(op_at(trace, "a").percent_of_total, 50);
  EXPECT_EQ(op_at(trace, "a").duration_us, 1.5);
}

TEST(Reconcile, SortsByTheNewShares) {
  TraceOperator loop = node("loop", {40});
  loop.calls = 12;
  const OpTrace trace =
      reconcile(traced({loop, node("conv", {30})}), {.median_us = 50, .node_floor_us = 3});
  EXPECT_EQ(trace.operators[0].op_path, "conv");
}

TEST(Reconcile, LeavesAloneWhatItCannotReconcile) {
  const OpTrace trace = traced({node("a", {30})});
  for (const double median : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(reconcile(trace, {.median_us = median}).summary.correction) << median;
  }
  OpTrace none;
  none.status = TraceStatus::no_data;
  EXPECT_EQ(to_json(reconcile(none, {.median_us = 5})), to_json(none));
  const OpTrace once = reconcile(trace, {.median_us = 20});
  EXPECT_EQ(to_json(reconcile(once, {.median_us = 10})), to_json(once)) << "not twice";
}

// Random traces: what holds for every one of them.
class ReconcileProperty : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ReconcileProperty, SumsSharesAndSizesHold) {
  Random random(GetParam());
  std::vector<TraceOperator> operators;
  const auto count = 1 + random.below(300);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::vector<double> samples(7);
    for (double& sample : samples) sample = std::floor(2 + std::exp(6 * random.uniform()));
    operators.push_back(node("n" + std::to_string(i), samples));
    operators.back().calls = 1 + static_cast<double>(random.below(3));
  }
  const OpTrace before = traced(std::move(operators), 500 * random.uniform());
  UntracedRun untraced{.median_us = *before.summary.traced_total_us * 1.5 * random.uniform() + 1};
  if (random.below(2) == 0) untraced.node_floor_us = 6 * random.uniform();
  const OpTrace after = reconcile(before, untraced);

  EXPECT_NEAR(after.summary.accounted_us + *after.summary.gaps_us, untraced.median_us,
              1e-9 * untraced.median_us);
  EXPECT_GE(*after.summary.gaps_us, 0);
  EXPECT_NEAR(accounted_in(after), after.summary.accounted_us, 1e-9 * untraced.median_us);
  double shares = 0;
  double previous = 100;
  for (const TraceOperator& op : after.operators) {
    const TraceOperator& traced_op = op_at(before, op.op_path);
    EXPECT_GE(op.duration_us, 0);
    EXPECT_LE(op.duration_us, traced_op.duration_us);
    EXPECT_EQ(op.traced_us, traced_op.duration_us);
    EXPECT_NEAR(op.duration_us, median_of(op.samples_us), 1e-9);
    EXPECT_LE(op.percent_of_total, previous);
    previous = op.percent_of_total;
    shares += op.percent_of_total;
  }
  EXPECT_NEAR(shares, 100, 1e-9);
  EXPECT_GE(after.summary.correction->removed_us, 0);
  EXPECT_LE(after.summary.correction->scale, 1);
  EXPECT_EQ(to_json(reconcile(before, untraced)), to_json(after)) << "the same each time";
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReconcileProperty, testing::Range<std::uint64_t>(1, 60));

}  // namespace
}  // namespace hone
