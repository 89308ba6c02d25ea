#include "measure/trace/qnn_csv.h"

#include <gtest/gtest.h>

#include "measure/trace/samples.h"

namespace hone {
namespace {

// One execution as the EP writes it: totals, operators, totals.
struct Execution {
  double us = 100;
  double cycles = 1000;
  std::vector<std::pair<std::string, double>> nodes = {
      {"Input OpId_2", 100}, {"/a/Conv_token_1_2:OpId_24", 600}, {"/a/Add_3:OpId_30", 300}};
};

std::string csv_of(const std::vector<Execution>& executions) {
  std::string text =
      "Msg Timestamp,Message,Time,Unit of Measurement,Timing Source,Event Level,Event Identifier\n"
      "0,FINALIZE,561285,US,BACKEND,ROOT,QNN (finalize) time\n"
      "0,UNKNOWN,271699,US,BACKEND,SUB-EVENT,Graph Optimizations\n";
  const auto row = [&](std::string_view message, double time, std::string_view unit,
                       std::string_view level, std::string_view identifier) {
    text += "0," + std::string(message) + "," + Json(time).dump() + "," + std::string(unit) +
            ",BACKEND," + std::string(level) + "," + std::string(identifier) + "\n";
  };
  for (const Execution& execution : executions) {
    row("BACKEND", 4, "COUNT", "ROOT", "Number of HVX threads used");
    row("BACKEND", execution.us + 50, "US", "ROOT", "RPC (execute) time");
    row("BACKEND", execution.cycles, "CYCLES", "ROOT", "Accelerator (execute) time (cycles)");
    for (const auto& [name, cycles] : execution.nodes) {
      row("NODE", cycles, "CYCLES", "SUB-EVENT", name + " (cycles)");
    }
    row("BACKEND", execution.us, "US", "ROOT", "Accelerator (execute) time");
    text += "0,UNKNOWN,UNKNOWN,OBJECT,BACKEND,ROOT,Unknown event type\n";
    row("EXECUTE", execution.us + 80, "US", "ROOT", "QNN (execute) time");
  }
  return text;
}

const TraceOperator& op_with_id(const OpTrace& trace, std::int64_t id) {
  for (const TraceOperator& op : trace.operators) {
    if (op.op_id == id) return op;
  }
  ADD_FAILURE() << "there is no operator " << id;
  return trace.operators.front();
}

double sum_of_shares(const OpTrace& trace) {
  double sum = 0;
  for (const TraceOperator& op : trace.operators) sum += op.percent_of_total;
  return sum;
}

TEST(QnnCsv, IsConvertedByTheClockOfEachInference) {
  const OpTrace trace = parse_qnn_csv(csv_of({{.us = 100}, {.us = 200}}), {});
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(trace.metadata.num_samples, 2);
  const TraceOperator& conv = op_with_id(trace, 24);
  EXPECT_EQ(conv.samples_us, (std::vector<double>{60, 120}));
  EXPECT_EQ(conv.duration_us, 90);
  EXPECT_DOUBLE_EQ(conv.percent_of_total, 60);
  EXPECT_EQ(conv.op_path, "/a/Conv");
  EXPECT_EQ(conv.name, "Conv");
  EXPECT_NEAR(conv.p90_us, 114, 1e-9);
  EXPECT_EQ(op_with_id(trace, 2).op_path, "Input");
  EXPECT_EQ(op_with_id(trace, 30).op_type, "Add");
}

TEST(QnnCsv, HasSharesThatSumTo100) {
  Execution uneven{.us = 333, .cycles = 7};
  uneven.nodes = {{"Input OpId_2", 1}, {"/a/Conv_token_1_2:OpId_24", 3}, {"/a/Add_3:OpId_30", 3}};
  const OpTrace trace = parse_qnn_csv(csv_of({uneven, {}, {.us = 77}}), {});
  EXPECT_NEAR(sum_of_shares(trace), 100, 1e-9);
  EXPECT_NEAR(*trace.summary.total_us, trace.summary.accounted_us, 1e-9);
}

TEST(QnnCsv, HasTheMeanOfSharesAndNotTheShareOfMeans) {
  Execution slow{.us = 1000};
  slow.nodes = {{"a:OpId_1", 100}, {"b:OpId_2", 900}};
  Execution fast{.us = 10};
  fast.nodes = {{"a:OpId_1", 500}, {"b:OpId_2", 500}};
  EXPECT_DOUBLE_EQ(op_with_id(parse_qnn_csv(csv_of({slow, fast}), {}), 1).percent_of_total, 30);
}

TEST(QnnCsv, SumsUpPerInference) {
  const OpTrace trace = parse_qnn_csv(csv_of({{.us = 100}, {.us = 200}}), {});
  EXPECT_EQ(trace.summary.accel_execute_us, 150);
  EXPECT_EQ(trace.summary.accel_execute_cycles, 1000);
  EXPECT_EQ(trace.summary.rpc_execute_us, 200);
  EXPECT_EQ(trace.summary.qnn_execute_us, 230);
  EXPECT_EQ(trace.summary.hvx_threads, 4);
  EXPECT_EQ(trace.summary.total_us, 150);
  EXPECT_EQ(trace.metadata.ep, "QNNExecutionProvider");
  EXPECT_EQ(trace.metadata.partitions, 1);
}

TEST(QnnCsv, SaysHowMuchIsInNoOperator) {
  Execution execution;
  execution.nodes = {{"a:OpId_1", 750}};
  const OpTrace trace = parse_qnn_csv(csv_of({execution}), {});
  EXPECT_EQ(trace.summary.gaps_us, 25);
  EXPECT_EQ(trace.summary.untraced_share, 0.25);
  EXPECT_EQ(sum_of_shares(trace), 100);
}

TEST(QnnCsv, LeavesOutTheWarmUp) {
  const OpTrace trace =
      parse_qnn_csv(csv_of({{.us = 9000}, {.us = 100}, {.us = 200}}), {.warmup = 1});
  EXPECT_EQ(trace.metadata.num_samples, 2);
  EXPECT_EQ(trace.metadata.warmup_excluded, 1);
  EXPECT_EQ(trace.summary.accel_execute_us, 150);
}

TEST(QnnCsv, HasNoDataWhereAllOfItIsWarmUp) {
  const OpTrace trace = parse_qnn_csv(csv_of({{}, {}}), {.warmup = 2});
  EXPECT_EQ(trace.status, TraceStatus::no_data);
  EXPECT_EQ(trace.error, "all 2 inferences of the CSV are warm-up");
}

TEST(QnnCsv, IsNotBelievedWhereTheNumberOfInferencesIsWrong) {
  const OpTrace trace = parse_qnn_csv(csv_of({{}, {}}), {.warmup = 1, .inferences = 3});
  EXPECT_EQ(trace.status, TraceStatus::parse_failed);
  EXPECT_EQ(trace.error, "expected 3 inferences (1 of them warm-up), found 2");
  EXPECT_TRUE(trace.operators.empty());
}

TEST(QnnCsv, TellsPartitionsApartThoughTheirIdsCollide) {
  Execution other{.us = 50};
  other.nodes = {{"Input OpId_2", 500}, {"/b/Mul:OpId_24", 500}};
  const OpTrace trace = parse_qnn_csv(csv_of({{.us = 100}, other, {.us = 300}, other}), {});
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(trace.metadata.partitions, 2);
  EXPECT_EQ(trace.metadata.num_samples, 2);
  EXPECT_EQ(trace.operators.size(), 5u);
  EXPECT_EQ(trace.summary.accel_execute_us, 250);
  EXPECT_NEAR(sum_of_shares(trace), 100, 1e-9);
  for (const TraceOperator& op : trace.operators) {
    EXPECT_EQ(op.partition, op.op_path == "/b/Mul" || op.samples_us[0] == 25 ? 1 : 0) << op.op_path;
  }
}

TEST(QnnCsv, CountsPartitionsThatRanUnequallyOftenByThemselves) {
  Execution other{.us = 50};
  other.nodes = {{"/b/Mul:OpId_24", 1000}};
  const OpTrace trace = parse_qnn_csv(csv_of({{}, other, {}}), {});
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(trace.notes,
            std::vector<std::string>{
                "partitions ran between 1 and 2 times; each is averaged over its own runs"});
  EXPECT_NEAR(sum_of_shares(trace), 100, 1e-9);
}

TEST(QnnCsv, ReadsOperatorsBeforeTheFirstTotal) {
  const std::string text = csv_of({{}});
  const std::size_t total = text.find("0,BACKEND,1000.0,CYCLES");
  std::string without = text;
  without.erase(total, without.find('\n', total) + 1 - total);
  const OpTrace trace = parse_qnn_csv(without, {});
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(trace.operators.size(), 3u);
  EXPECT_NEAR(op_with_id(trace, 24).duration_us, 60, 1e-9);
}

TEST(QnnCsv, StartsANewInferenceWhereAnOperatorComesAgain) {
  const std::string text =
      "0,NODE,10,CYCLES,BACKEND,SUB-EVENT,a:OpId_1 (cycles)\n"
      "0,BACKEND,10,US,BACKEND,ROOT,Accelerator (execute) time\n"
      "0,NODE,30,CYCLES,BACKEND,SUB-EVENT,a:OpId_1 (cycles)\n"
      "0,BACKEND,60,US,BACKEND,ROOT,Accelerator (execute) time\n";
  const OpTrace trace = parse_qnn_csv(text, {});
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(op_with_id(trace, 1).samples_us, (std::vector<double>{10, 60}));
}

TEST(QnnCsv, BorrowsAClockAndSaysSo) {
  std::string text = csv_of({{.us = 200}, {.us = 400}});
  const std::string second = "0,BACKEND,400.0,US,BACKEND,ROOT,Accelerator (execute) time\n";
  text.erase(text.find(second), second.size());
  const OpTrace trace = parse_qnn_csv(text, {});
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(op_with_id(trace, 24).samples_us, (std::vector<double>{120, 120}));
  EXPECT_EQ(trace.notes.at(0),
            "without a time of its own, and converted by the clock of the others: 1 inference");
}

TEST(QnnCsv, CannotTellTimeWithoutAnyClock) {
  const OpTrace trace = parse_qnn_csv("0,NODE,10,CYCLES,BACKEND,SUB-EVENT,a:OpId_1 (cycles)\n", {});
  EXPECT_EQ(trace.status, TraceStatus::parse_failed);
  EXPECT_EQ(trace.error,
            "operators are in cycles, and no 'Accelerator (execute) time' in US says how long a "
            "cycle is");
}

TEST(QnnCsv, HasNoClockThatRunsInFractionsOfACycle) {
  const OpTrace trace =
      parse_qnn_csv(csv_of({{.us = 9e15, .cycles = 1e-300, .nodes = {{"a:OpId_1", 1e-300}}}}), {});
  EXPECT_EQ(trace.status, TraceStatus::parse_failed);
}

TEST(QnnCsv, TakesOperatorsInMicrosecondsAsTheyAre) {
  const OpTrace trace = parse_qnn_csv("0,NODE,10,US,BACKEND,SUB-EVENT,a:OpId_1 (us)\n", {});
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(op_with_id(trace, 1).duration_us, 10);
}

TEST(QnnCsv, OfTheBasicLevelHasNoOperators) {
  Execution execution;
  execution.nodes.clear();
  const OpTrace trace = parse_qnn_csv(csv_of({execution, execution}), {});
  EXPECT_EQ(trace.status, TraceStatus::no_data);
  EXPECT_EQ(
      trace.error,
      "the CSV holds 2 executions but no operator: profiling_level must be detailed or optrace");
}

TEST(QnnCsv, WithoutAnExecutionHasNoData) {
  EXPECT_EQ(parse_qnn_csv(csv_of({}), {}).error, "the CSV holds no execution of a graph");
  EXPECT_EQ(parse_qnn_csv("", {}).error, "the CSV is empty");
  EXPECT_EQ(parse_qnn_csv("", {}).status, TraceStatus::no_data);
}

TEST(QnnCsv, CountsOperatorRowsItCannotRead) {
  std::string text = csv_of({{}});
  text +=
      "0,NODE,10,CYCLES,BACKEND,SUB-EVENT,no id here\n0,NODE,x,CYCLES,BACKEND,SUB-EVENT,a:OpId_1 "
      "(cycles)\n";
  EXPECT_EQ(parse_qnn_csv(text, {}).metadata.unreadable, 2);
}

TEST(QnnCsv, KeepsANameThatLooksLikeAnId) {
  Execution execution;
  execution.nodes = {{"weird OpId_7 (cycles), really:OpId_9", 1000}};
  EXPECT_EQ(op_with_id(parse_qnn_csv(csv_of({execution}), {}), 9).op_path,
            "weird OpId_7 (cycles), really");
}

TEST(QnnCsv, TakesTypesFromTheModel) {
  const OpTrace trace = parse_qnn_csv(csv_of({{}}), {.node_types = {{"/a/Add", "Sum"}}});
  EXPECT_EQ(op_with_id(trace, 30).op_type, "Sum");
  EXPECT_EQ(op_with_id(trace, 30).type_source, TypeSource::onnx);
}

TEST(QnnCsv, OfAThousandUnlikeExecutionsIsRefused) {
  std::vector<Execution> executions(1000);
  for (std::size_t i = 0; i < executions.size(); ++i) {
    executions[i].nodes = {{"n" + std::to_string(i) + ":OpId_1", 10}};
  }
  const OpTrace trace = parse_qnn_csv(csv_of(executions), {});
  EXPECT_EQ(trace.status, TraceStatus::parse_failed);
  EXPECT_EQ(trace.error,
            "the CSV seems to hold more than 256 partitions: its rows do not repeat from one "
            "inference to the next");
}

}  // namespace
}  // namespace hone
