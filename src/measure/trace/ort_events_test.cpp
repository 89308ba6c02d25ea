#include "measure/trace/ort_events.h"

#include <gtest/gtest.h>

#include <vector>

#include "measure/trace/profile_for_tests.h"

namespace hone {
namespace {

// An event with texts of its own.
struct Kept {
  OrtEvent event;
  std::string name;
  std::string op_type;
  std::string provider;
  std::string parent_name;
};

struct Scanned {
  std::vector<Kept> events;
  OrtScan scan;
};

Scanned scan(std::string_view text) {
  Scanned scanned;
  scanned.scan = for_each_event(text, [&](const OrtEvent& event) {
    scanned.events.push_back({event, std::string(event.name), std::string(event.op_type),
                              std::string(event.provider), std::string(event.parent_name)});
  });
  return scanned;
}

TEST(OrtEvents, AreReadAsOnnxRuntimeWritesThem) {
  const Scanned scanned =
      scan(ProfileForTests().node(100, 12, "/a/Conv", "Conv", 5).run(90, 40).text());
  ASSERT_EQ(scanned.events.size(), 2u);
  const Kept& node = scanned.events[0];
  EXPECT_EQ(node.event.category, OrtCategory::node);
  EXPECT_EQ(node.event.thread, 7);
  EXPECT_EQ(node.event.start_us, 100);
  EXPECT_EQ(node.event.duration_us, 12);
  EXPECT_EQ(node.name, "/a/Conv_kernel_time");
  EXPECT_EQ(node.op_type, "Conv");
  EXPECT_EQ(node.provider, "CPUExecutionProvider");
  EXPECT_EQ(node.event.node_index, 5);
  EXPECT_EQ(scanned.events[1].event.category, OrtCategory::session);
  EXPECT_EQ(scanned.events[1].name, "model_run");
  EXPECT_EQ(scanned.scan.counts.unreadable, 0);
}

TEST(OrtEvents, KeepWhateverStandsInAName) {
  const std::vector<std::string> names = {
      "quote\"inside",
      R"(back\slash)",
      "line\nbreak",
      "\\",
      "ends with\"",
      R"(","args" : {)",
      "{}[]",
      R"(","ph" : "X")",
      "tab\tand \x01",
      "\xFF\xFE not UTF-8",
      "\"},\n{\"cat\"",
      "",
      R"(","args" : {"op_name" : "Fake"}})",
  };
  for (const std::string& name : names) {
    const Scanned scanned = scan(ProfileForTests().node(1, 2, name, "Relu", 9).run(0, 9).text());
    ASSERT_EQ(scanned.events.size(), 2u) << name;
    EXPECT_EQ(scanned.events[0].name, name + "_kernel_time");
    EXPECT_EQ(scanned.events[0].op_type, "Relu") << name;
    EXPECT_EQ(scanned.events[0].event.node_index, 9) << name;
  }
}

TEST(OrtEvents, KeepQuotesInTheNameOfAParent) {
  const Scanned scanned =
      scan(ProfileForTests()
               .event("Kernel", 1, 2, "gemm", R"("parent_name" : "a"b,","op_name" : "MatMul")")
               .text());
  EXPECT_EQ(scanned.events.at(0).parent_name, "a\"b,");
  EXPECT_EQ(scanned.events.at(0).op_type, "MatMul");
}

TEST(OrtEvents, AreCountedWhereOneIsBroken) {
  std::string text = ProfileForTests().node(1, 2, "a").node(3, 4, "b").text();
  const Scanned cut = scan(text.substr(0, text.size() - 20));
  EXPECT_EQ(cut.events.size(), 1u);
  EXPECT_EQ(cut.scan.counts.unreadable, 1);
  const Scanned negative = scan(ProfileForTests().node(1, -2, "a").node(-1, 2, "b").text());
  EXPECT_EQ(negative.events.size(), 0u);
  EXPECT_EQ(negative.scan.counts.unreadable, 2);
}

TEST(OrtEvents, AreReadFromWhatAnotherToolHasFormatted) {
  const Scanned scanned = scan(R"({"traceEvents": [
    {"name": "a\"b_kernel_time", "cat": "Node", "ts": 1.5, "dur": 2, "tid": 3,
     "args": {"op_name": "Relu", "node_index": 4, "provider": "P"}},
    {"name": "broken", "cat": "Node", "ts": "x", "dur": 2}]})");
  ASSERT_EQ(scanned.events.size(), 1u);
  EXPECT_EQ(scanned.events[0].name, "a\"b_kernel_time");
  EXPECT_EQ(scanned.events[0].event.start_us, 1.5);
  EXPECT_EQ(scanned.events[0].event.node_index, 4);
  EXPECT_EQ(scanned.scan.counts.unreadable, 1);
}

TEST(OrtEvents, SayWhyNothingCanBeRead) {
  EXPECT_TRUE(scan("no profile").scan.problem.starts_with("invalid JSON at line 1, column "));
  EXPECT_EQ(scan("{\"a\": 1}").scan.problem, "there is no list of events");
  EXPECT_EQ(scan("[]").scan.problem, "");
}

TEST(OrtEvents, EndEarlyAtEveryByteWithoutHarm) {
  const std::string text = ProfileForTests()
                               .node(1, 2, "a\"},\n{")
                               .event("Kernel", 1, 1, "k", R"("parent_name" : "a")")
                               .run(0, 5)
                               .text();
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const OrtScan scanned = scan(text.substr(0, length)).scan;
    EXPECT_LE(scanned.counts.read, 3);
  }
}

}  // namespace
}  // namespace hone
