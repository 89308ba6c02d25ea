#include "record/trace.h"

#include <gtest/gtest.h>

#include "record/trace_diff.h"

namespace hone {
namespace {

OpTrace example() {
  OpTrace trace;
  trace.status = TraceStatus::ok;
  trace.metadata.num_samples = 2;
  trace.metadata.warmup_excluded = 1;
  trace.metadata.ep = "CPUExecutionProvider";
  trace.metadata.tracing_backend = "onnxruntime";
  trace.metadata.statistic = TraceStatistic::median;
  trace.summary.total_us = 20;
  trace.summary.accounted_us = 15;
  trace.summary.gaps_us = 5;
  trace.summary.untraced_share = 0.25;
  TraceOperator op;
  op.name = op.op_type = "Conv";
  op.op_path = "/a/Conv";
  op.type_source = TypeSource::onnx;
  op.duration_us = 15;
  op.percent_of_total = 100;
  op.p90_us = 16;
  op.samples_us = {14, 16};
  trace.operators = {op};
  trace.artifacts = {{"profile", "p.json"}};
  return trace;
}

TEST(OpTrace, HasTheFieldsThatScriptsRelyOn) {
  EXPECT_EQ(
      to_document(example(), trace_schema_version).dump(-1),
      R"({"schema_version":1,"metadata":{"num_samples":2,"warmup_excluded":1,"model":null,)"
      R"("device":null,"ep":"CPUExecutionProvider","source":"ort_profile","tracing_level":"basic",)"
      R"("tracing_backend":"onnxruntime","timestamp":null,"partitions":null,"unreadable":0,)"
      R"("statistic":"median","times":"operator"},"summary":{"total_us":20.0,"accounted_us":15.0,"gaps_us":5.0,)"
      R"("untraced_share":0.25,"traced_total_us":null,"interrupted_us":null,"correction":null,)"
      R"("provider_us":{}},"operators":[{"name":"Conv","op_path":"/a/Conv","op_id":null,)"
      R"("op_type":"Conv","type_source":"onnx","duration_us":15.0,"percent_of_total":100.0,)"
      R"("p90_us":16.0,"samples_us":[14.0,16.0],"calls":1.0,"provider":null,"partition":null}],)"
      R"("artifacts":{"profile":"p.json"},"status":"ok","error":null,"fallback_reason":null,)"
      R"("notes":[]})");
}

TEST(OpTrace, HoldsNothingBeforeItRan) {
  EXPECT_EQ(OpTrace{}.status, TraceStatus::not_run);
  EXPECT_FALSE(OpTrace{}.has_operators());
}

TEST(OpTrace, OfABasicFallbackHasOperators) {
  OpTrace trace;
  trace.status = TraceStatus::basic_fallback;
  EXPECT_TRUE(trace.has_operators());
  for (const TraceStatus status :
       {TraceStatus::no_data, TraceStatus::parse_failed, TraceStatus::not_run}) {
    trace.status = status;
    EXPECT_FALSE(trace.has_operators());
  }
}

TEST(OpTrace, IsReadBack) {
  OpTrace trace = example();
  trace.summary.correction = TraceCorrection{.untraced_us = 20, .floor_source = "trace"};
  trace.summary.hvx_threads = 4;
  trace.operators[0].vtcm_hit_ratio = 0.5;
  const Json document = to_document(trace, trace_schema_version);
  const auto read = from_document<OpTrace>(document, trace_schema_version);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_document(*read, trace_schema_version), document);
}

TEST(TraceDiff, IsReadBack) {
  TraceDiff diff;
  TraceDiffRow row;
  row.op_path = "a";
  row.match = TraceMatch::only_after;
  row.after_us = 5;
  diff.operators = {row};
  EXPECT_EQ(to_json(*from_json<TraceDiff>(to_json(diff))), to_json(diff));
}

}  // namespace
}  // namespace hone
