#include "measure/trace/ort_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "measure/trace/profile_for_tests.h"

namespace hone {
namespace {

OpTrace parse(const std::string& text, const TraceOptions& options = {}) {
  const std::vector<std::string_view> texts = {text};
  return parse_ort_profiles(texts, options);
}

const TraceOperator& op_at(const OpTrace& trace, std::string_view path) {
  const auto found = std::ranges::find(trace.operators, path, &TraceOperator::op_path);
  if (found != trace.operators.end()) return *found;
  ADD_FAILURE() << "there is no operator " << path;
  static const TraceOperator none;
  return none;
}

// Three runs of two nodes; events of a run stand before the run, as ONNX Runtime 1.30 writes them.
ProfileForTests three_runs() {
  ProfileForTests profile;
  profile.event("Session", 0, 50, "model_loading_uri")
      .event("Session", 50, 40, "session_initialization");
  profile.node(102, 70, "/a/Conv", "Conv", 1).node(180, 10, "/a/Relu", "Relu", 2).run(100, 100);
  profile.node(302, 30, "/a/Conv", "Conv", 1).node(340, 10, "/a/Relu", "Relu", 2).run(300, 50);
  profile.node(402, 32, "/a/Conv", "Conv", 1).node(440, 12, "/a/Relu", "Relu", 2).run(400, 60);
  return profile;
}

TEST(OrtProfile, GroupsOperatorsByRun) {
  const OpTrace trace = parse(three_runs().text());
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(trace.metadata.num_samples, 3);
  const TraceOperator& conv = op_at(trace, "/a/Conv");
  EXPECT_EQ(conv.samples_us, (std::vector<double>{70, 30, 32}));
  EXPECT_EQ(conv.duration_us, 32) << "the median";
  EXPECT_EQ(conv.op_type, "Conv");
  EXPECT_EQ(conv.provider, "CPUExecutionProvider");
  EXPECT_EQ(conv.node_index, 1);
  EXPECT_EQ(conv.calls, 1);
  EXPECT_EQ(conv.traced_start_us, 2);
  EXPECT_EQ(trace.metadata.ep, "CPUExecutionProvider");
  EXPECT_EQ(trace.metadata.statistic, TraceStatistic::median);
}

TEST(OrtProfile, LeavesOutTheWarmUp) {
  const OpTrace trace = parse(three_runs().text(), {.warmup = 1});
  EXPECT_EQ(trace.metadata.num_samples, 2);
  EXPECT_EQ(trace.metadata.warmup_excluded, 1);
  EXPECT_EQ(op_at(trace, "/a/Conv").samples_us, (std::vector<double>{30, 32}));
}

TEST(OrtProfile, AddsUpToATypicalRun) {
  const OpTrace trace = parse(three_runs().text());
  EXPECT_EQ(trace.summary.accounted_us, 42);
  EXPECT_EQ(trace.summary.gaps_us, 16);  // of 20, 10 and 16
  EXPECT_EQ(trace.summary.total_us, 58);
  EXPECT_EQ(trace.summary.interrupted_us, 2);
  EXPECT_NEAR(op_at(trace, "/a/Conv").percent_of_total + op_at(trace, "/a/Relu").percent_of_total,
              100, 1e-9);
}

TEST(OrtProfile, FindsTheRunInWhateverOrderEventsStand) {
  ProfileForTests profile;  // by start, as later versions write them
  profile.run(100, 50).node(102, 30, "a").run(200, 50).node(202, 40, "a");
  EXPECT_EQ(op_at(parse(profile.text()), "a").samples_us, (std::vector<double>{30, 40}));
}

TEST(OrtProfile, TellsRunsOfTwoThreadsApart) {
  ProfileForTests profile;
  profile.run(100, 100, 1).run(110, 100, 2);
  profile.node(120, 10, "a", "Conv", 0, 1).node(125, 20, "a", "Conv", 0, 2);
  EXPECT_EQ(op_at(parse(profile.text()), "a").samples_us, (std::vector<double>{10, 20}));
}

TEST(OrtProfile, IgnoresWhatHappensOutsideOfRuns) {
  ProfileForTests profile;
  profile.node(10, 30, "folded at load").run(100, 50).node(102, 30, "a");
  EXPECT_EQ(parse(profile.text()).operators.size(), 1u);
}

TEST(OrtProfile, TakesTheTimeOfABodyOffItsNode) {
  ProfileForTests profile;
  profile.run(0, 100).node(10, 60, "if", "If", 3);
  profile.node(15, 20, "then/Conv", "Conv", 3).node(40, 10, "then/Conv", "Conv", 3);
  profile.node(70, 5, "after", "Relu", 4);
  const OpTrace trace = parse(profile.text());
  EXPECT_EQ(op_at(trace, "if").duration_us, 30);
  EXPECT_EQ(op_at(trace, "then/Conv").duration_us, 30);
  EXPECT_EQ(op_at(trace, "then/Conv").calls, 2);
  EXPECT_EQ(op_at(trace, "then/Conv").parent, "if");
  EXPECT_FALSE(op_at(trace, "after").parent) << "what starts at the end of a node is not inside";
  EXPECT_EQ(trace.summary.accounted_us, 65);
}

TEST(OrtProfile, GapsBetweenTheNodesOfABodyAreNoTimeOfTheIf) {
  ProfileForTests profile;
  // The profiler takes 3 us to write each node down; the If itself 2 us before and 1 us after.
  profile.run(0, 100).node(10, 63, "if", "If", 3);
  profile.node(12, 20, "then/Conv", "Conv", 3).node(35, 4, "then/Add", "Add", 4);
  profile.node(42, 27, "then/LSTM", "LSTM", 5);
  const OpTrace trace = parse(profile.text());
  EXPECT_EQ(op_at(trace, "if").duration_us, 3);
  EXPECT_EQ(op_at(trace, "then/LSTM").duration_us, 27);
  EXPECT_EQ(trace.summary.accounted_us, 54);
  EXPECT_EQ(trace.summary.gaps_us, 46);
}

TEST(OrtProfile, WhatALoopDoesBetweenItsTurnsIsItsOwn) {
  ProfileForTests profile;
  // Two turns of two nodes with gaps of 2 us, and 10 us of the loop's own between the turns.
  profile.run(0, 100).node(10, 50, "loop", "Loop", 3);
  profile.node(10, 8, "body/Add", "Add", 3).node(20, 8, "body/Mul", "Mul", 4);
  profile.node(40, 8, "body/Add", "Add", 3).node(50, 8, "body/Mul", "Mul", 4);
  const OpTrace trace = parse(profile.text());
  EXPECT_EQ(op_at(trace, "loop").duration_us, 10);
}

TEST(OrtProfile, HasTheKernelsAnEpReportsForAFusedNode) {
  ProfileForTests profile;
  profile.run(0, 200).node(10, 100, "OpenVINO-EP-subgraph_1", "OpenVINO-EP-subgraph_1", 0);
  profile.event("Kernel", 20, 50, "jit_conv",
                R"("op_name" : "Convolution","node_name" : "/a/Conv")", 900);
  profile.event("Kernel", 75, 30, "jit_add", R"("op_name" : "Add","node_name" : "/a/Add")", 900);
  const OpTrace trace = parse(profile.text(), {.node_types = {{"/a/Conv", "Conv"}}});
  EXPECT_EQ(op_at(trace, "/a/Conv").duration_us, 50);
  EXPECT_EQ(op_at(trace, "/a/Conv").op_type, "Conv");
  EXPECT_EQ(op_at(trace, "/a/Add").op_type, "Add");
  EXPECT_EQ(op_at(trace, "/a/Add").parent, "OpenVINO-EP-subgraph_1");
  EXPECT_EQ(op_at(trace, "/a/Add").provider, "CPUExecutionProvider") << "its parent's";
  EXPECT_EQ(op_at(trace, "OpenVINO-EP-subgraph_1").duration_us, 20);
}

TEST(OrtProfile, GivesAKernelThatRunsLaterToTheNodeItNames) {
  ProfileForTests profile;
  profile.run(0, 300).node(10, 5, "/a/MatMul", "MatMul", 1).node(20, 100, "/a/Wait", "Wait", 2);
  profile.event("Kernel", 30, 80, "sgemm",
                R"("parent_name" : "/a/MatMul_kernel_time","op_name" : "MatMul")", 2);
  const OpTrace trace = parse(profile.text());
  EXPECT_EQ(op_at(trace, "sgemm").parent, "/a/MatMul");
  EXPECT_EQ(op_at(trace, "/a/MatMul").duration_us, 5);
  EXPECT_EQ(op_at(trace, "/a/Wait").duration_us, 100);
}

TEST(OrtProfile, KeepsNodesOfOneNameApart) {
  ProfileForTests profile;
  profile.run(0, 100)
      .node(1, 10, "ReorderOutput", "ReorderOutput", 4)
      .node(20, 30, "ReorderOutput", "ReorderOutput", 5);
  const OpTrace trace = parse(profile.text());
  ASSERT_EQ(trace.operators.size(), 2u);
  EXPECT_EQ(trace.operators[0].node_index, 5);
}

TEST(OrtProfile, CountsARunInWhichAnOperatorDidNotRun) {
  ProfileForTests profile;
  profile.run(0, 100)
      .node(1, 10, "a")
      .run(200, 100)
      .node(201, 10, "a")
      .node(220, 10, "b", "Add", 2);
  profile.run(400, 100).node(401, 10, "a");
  EXPECT_EQ(op_at(parse(profile.text()), "b").samples_us, (std::vector<double>{0, 10, 0}));
}

TEST(OrtProfile, ShowsOnWhichProviderTheTimeIsSpent) {
  ProfileForTests profile;
  profile.run(0, 100).node(1, 10, "a");
  profile.event("Node", 20, 30, "b_kernel_time",
                R"("op_name" : "Fused","provider" : "SimExecutionProvider")");
  const OpTrace trace = parse(profile.text());
  EXPECT_EQ(trace.metadata.ep, "SimExecutionProvider");
  EXPECT_EQ(trace.summary.provider_us.at("CPUExecutionProvider"), 10);
  EXPECT_EQ(trace.summary.provider_us.at("SimExecutionProvider"), 30);
}

TEST(OrtProfile, OfOneRunPerFileIsOneTrace) {
  const std::string first = ProfileForTests().node(1, 10, "a").run(0, 20).text();
  const std::string second = ProfileForTests().node(1, 30, "a").run(0, 40).text();
  const std::vector<std::string_view> texts = {first, second};
  const OpTrace trace = parse_ort_profiles(texts, {.warmup = 1});
  EXPECT_EQ(trace.metadata.num_samples, 1);
  EXPECT_EQ(op_at(trace, "a").duration_us, 30);
}

TEST(OrtProfile, WithoutRunsIsOne) {
  const OpTrace trace =
      parse(ProfileForTests().node(100, 10, "a").node(120, 30, "b", "Add", 2).text());
  ASSERT_EQ(trace.status, TraceStatus::ok);
  EXPECT_EQ(trace.summary.total_us, 50);
  EXPECT_EQ(trace.notes, std::vector<std::string>{"the profile does not say where a run begins and "
                                                  "ends: all of it is taken as one"});
}

TEST(OrtProfile, SaysThatOperatorsRanSideBySide) {
  ProfileForTests profile;
  profile.run(0, 50).node(1, 40, "a", "Conv", 1, 1).node(1, 40, "b", "Conv", 2, 2);
  const OpTrace trace = parse(profile.text());
  EXPECT_EQ(trace.summary.total_us, 50);
  EXPECT_EQ(trace.summary.accounted_us, 80);
  EXPECT_EQ(trace.notes.at(0),
            "operators ran side by side: all of them together take longer than a run");
}

TEST(OrtProfile, IgnoresFencesOfOldVersions) {
  ProfileForTests profile;
  profile.run(0, 50)
      .event("Node", 1, 1, "a_fence_before")
      .node(2, 10, "a")
      .event("Node", 13, 1, "a_fence_after");
  EXPECT_EQ(parse(profile.text()).operators.size(), 1u);
}

TEST(OrtProfile, WithoutWhatWasAskedForHasNoData) {
  EXPECT_EQ(parse("[]").error, "the profile holds no run of the model");
  EXPECT_EQ(parse("[]").status, TraceStatus::no_data);
  EXPECT_EQ(parse(three_runs().text(), {.warmup = 3}).error,
            "all runs of the profile are warm-up: 3");
  EXPECT_EQ(parse(ProfileForTests().run(0, 5).text()).error,
            "the measured runs of the profile hold no operator");
}

TEST(OrtProfile, ThatCannotBeReadSaysWhy) {
  EXPECT_EQ(parse("garbage").status, TraceStatus::parse_failed);
  EXPECT_EQ(parse(three_runs().text(), {.inferences = 5}).error,
            "expected 5 runs (0 of them warm-up), found 3");
  EXPECT_EQ(parse("[\n{\"cat\" : \"Node\",\"pid").error, "none of its 1 events can be read");
  EXPECT_EQ(parse("[\n{\"cat\" : \"Node\",\"pid").status, TraceStatus::parse_failed);
}

}  // namespace
}  // namespace hone
