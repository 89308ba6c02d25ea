#include "measure/trace/qhas.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string qhas_of(std::string_view summary, std::string_view operators) {
  return R"({"model_id": "m", "data": {"htp_overall_summary": {"data": [)" + std::string(summary) +
         R"(]}, "qnn_op_instances_nodes": {"data": [)" + std::string(operators) + "]}}}";
}

const std::string summary =
    R"({"time_us": 500, "timeline_cycles": 1000, "graph_execute_us": 400, "inf_per_s": 2000.0,)"
    R"( "percent_utilization": 99.5, "total_dram_read": 4096, "peak_vtcm_alloc": 100,)"
    R"( "qnn_nodes": 2, "htp_nodes": 9, "unique_qnn_ops": 2, "unique_htp_ops": 3})";
const std::string conv =
    R"({"qnn_op": "/a/Conv_token_1_2", "qnn_op_type": "Conv2d", "cycles": 1200,)"
    R"( "percent_active_cycles": 60.0, "num_dominant_path_cycles_htp_0": 100, "num_htp_ops": 52,)"
    R"( "dram_read": 100, "dram_write": 0, "vtcm_read": 300, "vtcm_write": 8})";
const std::string add = R"({"qnn_op": "/a/Add_3", "qnn_op_type": "ElementWiseAdd", "cycles": 600,)"
                        R"( "percent_active_cycles": 30.0, "dram_read": 0, "vtcm_read": 0})";

TEST(Qhas, ConvertsCyclesOfTheTimelineToTime) {
  const OpTrace trace = parse_qhas(qhas_of(summary, conv + "," + add), {});
  ASSERT_EQ(trace.status, TraceStatus::ok);
  const TraceOperator& op = trace.operators.at(0);
  EXPECT_EQ(op.duration_us, 600);
  EXPECT_EQ(op.samples_us, std::vector<double>{600});
  EXPECT_EQ(op.dominant_path_us, 50);
  EXPECT_EQ(op.percent_of_total, 60);
  EXPECT_EQ(op.vtcm_hit_ratio, 0.75);
  EXPECT_EQ(op.num_htp_ops, 52);
  EXPECT_EQ(op.op_path, "/a/Conv");
  EXPECT_EQ(op.name, "Conv2d");
  EXPECT_EQ(op.type_source, TypeSource::ep);
}

TEST(Qhas, SummarizesUnderOurNames) {
  const OpTrace trace = parse_qhas(qhas_of(summary, conv + "," + add), {});
  EXPECT_EQ(trace.summary.inference_us, 500);
  EXPECT_EQ(trace.summary.execute_us, 400);
  EXPECT_EQ(trace.summary.inf_per_s, 2000);
  EXPECT_EQ(trace.summary.utilization_pct, 99.5);
  EXPECT_EQ(trace.summary.dram_read_bytes, 4096);
  EXPECT_EQ(trace.summary.vtcm_peak_bytes, 100);
  EXPECT_EQ(trace.summary.htp_nodes, 9);
  EXPECT_EQ(trace.summary.total_us, 500);
  EXPECT_EQ(trace.summary.accounted_us, 900) << "summed over threads";
  EXPECT_NEAR(*trace.summary.untraced_share, 0.1, 1e-12);
  EXPECT_EQ(trace.metadata.tracing_level, "detail");
  EXPECT_EQ(trace.metadata.num_samples, 1);
}

TEST(Qhas, TakesTypesFromTheModelFirst) {
  const OpTrace trace = parse_qhas(qhas_of(summary, conv), {.node_types = {{"/a/Conv", "Conv"}}});
  EXPECT_EQ(trace.operators.at(0).op_type, "Conv");
}

TEST(Qhas, HasNoHitRatioWhereNothingWasRead) {
  EXPECT_FALSE(parse_qhas(qhas_of(summary, add), {}).operators.at(0).vtcm_hit_ratio);
}

TEST(Qhas, DoesWithoutKeysAnSdkRenamed) {
  const OpTrace trace =
      parse_qhas(qhas_of(R"({"time_us": 10, "timeline_cycles": 10})",
                         R"({"qnn_op": "a", "cycles": 3}, {"qnn_op": "b", "cycles": 1})"),
                 {});
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(trace.operators.at(0).percent_of_total, 75);
  EXPECT_EQ(trace.operators.at(1).percent_of_total, 25);
  EXPECT_FALSE(trace.summary.utilization_pct);
  EXPECT_FALSE(trace.summary.untraced_share);
}

TEST(Qhas, SaysWhichKeyATimeNeeds) {
  EXPECT_EQ(parse_qhas(qhas_of(R"({"time_us": 10})", conv), {}).error,
            "the summary has no 'timeline_cycles'");
  EXPECT_EQ(parse_qhas(qhas_of(R"({"timeline_cycles": 10, "time_us": "x"})", conv), {}).error,
            "the summary has no 'time_us'");
  EXPECT_EQ(parse_qhas("{}", {}).error, "there is no data.htp_overall_summary.data[0]");
  EXPECT_EQ(
      parse_qhas(R"({"data": {"htp_overall_summary": {"data": [)" + summary + "]}}}", {}).error,
      "there is no data.qnn_op_instances_nodes.data");
}

TEST(Qhas, HasNoTimelineOfFractionsOfACycle) {
  EXPECT_EQ(parse_qhas(qhas_of(R"({"time_us": 9e15, "timeline_cycles": 1e-300})", conv), {}).error,
            "the summary has no 'timeline_cycles'");
}

TEST(Qhas, ThatIsNoJsonSaysWhere) {
  const OpTrace trace = parse_qhas("{\"data\": ", {});
  EXPECT_EQ(trace.status, TraceStatus::parse_failed);
  EXPECT_TRUE(trace.error->starts_with("invalid JSON at line 1, column ")) << *trace.error;
}

TEST(Qhas, WithoutOperatorsHasNoData) {
  const OpTrace trace = parse_qhas(qhas_of(summary, ""), {});
  EXPECT_EQ(trace.status, TraceStatus::no_data);
  EXPECT_EQ(trace.error, "the analysis lists no operator");
}

TEST(Qhas, CountsRowsThatAreNoOperators) {
  const OpTrace trace = parse_qhas(
      qhas_of(
          summary,
          conv +
              R"(, {"qnn_op": "x"}, 5, {"qnn_op": "y", "cycles": -1}, {"qnn_op": "z", "cycles": 1e300})"),
      {});
  EXPECT_EQ(trace.operators.size(), 1u);
  EXPECT_EQ(trace.metadata.unreadable, 4);
}

}  // namespace
}  // namespace hone
