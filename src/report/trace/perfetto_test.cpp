#include "report/trace/perfetto.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TraceOperator op(std::string path, double us, double start) {
  TraceOperator made;
  made.op_path = std::move(path);
  made.name = made.op_type = "Conv";
  made.duration_us = us;
  made.traced_start_us = start;
  made.provider = "CPUExecutionProvider";
  return made;
}

std::vector<Json> slices_of(const Json& document) {
  std::vector<Json> slices;
  for (const Json& event : *document.find("traceEvents")->as_array()) {
    if (*event.find("ph") == Json("X")) slices.push_back(event);
  }
  return slices;
}

TEST(Perfetto, ShowsOperatorsInTheOrderTheyRan) {
  OpTrace trace;
  trace.status = TraceStatus::ok;
  trace.summary.gaps_us = 4;
  trace.operators = {op("second", 30, 50), op("first", 10, 2)};
  const std::vector<Json> slices = slices_of(perfetto_trace(trace));
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(*slices[0].find("args")->find("op_path"), Json("first"));
  EXPECT_EQ(*slices[0].find("ts"), Json(0.0));
  EXPECT_EQ(*slices[0].find("dur"), Json(10.0));
  EXPECT_EQ(*slices[1].find("ts"), Json(12.0)) << "behind the first and half of the gaps";
}

TEST(Perfetto, HasATrackPerProviderAndPartition) {
  OpTrace trace;
  trace.status = TraceStatus::ok;
  trace.operators = {op("a", 1, 1), op("b", 1, 2), op("c", 1, 3)};
  trace.operators[1].provider = "SimExecutionProvider";
  trace.operators[2].partition = 1;
  const Json document = perfetto_trace(trace);
  std::vector<std::string> names;
  for (const Json& event : *document.find("traceEvents")->as_array()) {
    if (*event.find("name") == Json("thread_name")) {
      names.push_back(*event.find("args")->find("name")->as_string());
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"CPUExecutionProvider", "SimExecutionProvider",
                                             "CPUExecutionProvider partition 1"}));
  const std::vector<Json> slices = slices_of(document);
  EXPECT_NE(*slices[0].find("tid"), *slices[1].find("tid"));
}

TEST(Perfetto, IsValidJsonWhateverNodesAreCalled) {
  OpTrace trace;
  trace.status = TraceStatus::ok;
  trace.operators = {op("quote\" back\\slash\nline \xFF", 1, 1)};
  EXPECT_TRUE(Json::parse(perfetto_trace(trace).dump(-1)));
}

}  // namespace
}  // namespace hone
