#include "measure/trace/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "measure/trace/profile_for_tests.h"

namespace hone {
namespace {

constexpr std::string_view inference =
    "0,BACKEND,100,CYCLES,BACKEND,ROOT,Accelerator (execute) time (cycles)\n"
    "0,NODE,100,CYCLES,BACKEND,SUB-EVENT,a:OpId_1 (cycles)\n"
    "0,BACKEND,10,US,BACKEND,ROOT,Accelerator (execute) time\n"
    "0,EXECUTE,20,US,BACKEND,ROOT,QNN (execute) time\n";

class TraceFiles : public testing::Test {
 protected:
  void append(std::string_view text) { std::ofstream(csv_, std::ios::app) << text; }

  TemporaryFolder folder_ = *TemporaryFolder::create("trace");
  Path csv_ = folder_.path() / "profile.csv";
};

TEST_F(TraceFiles, AreNamedAmongTheArtifacts) {
  append(inference);
  const auto trace = read_qnn_csv(csv_);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->status, TraceStatus::ok);
  EXPECT_EQ(trace->artifacts.at("csv"), csv_.string());
}

TEST_F(TraceFiles, OlderThanTheSessionAreNoTraceOfIt) {
  append(inference);
  const FileSnapshot before = take_snapshot(csv_);
  const auto trace = read_qnn_csv(csv_, {}, before);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->status, TraceStatus::no_data);
  EXPECT_EQ(trace->error,
            "the file was there before the session and did not change: the EP traced nothing");
  EXPECT_TRUE(trace->operators.empty());
}

TEST_F(TraceFiles, OfTwoSessionsGiveTheSecondOneOnly) {
  append(inference);
  const FileSnapshot before = take_snapshot(csv_);
  append(inference);
  append(inference);
  const auto trace = read_qnn_csv(csv_, {}, before);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->metadata.num_samples, 2);
  EXPECT_EQ(trace->notes.at(0), "the file was there before the session: its first " +
                                    std::to_string(inference.size()) + " bytes were not read");
}

TEST_F(TraceFiles, ThatAppearedDuringTheSessionAreReadWhole) {
  const FileSnapshot before = take_snapshot(csv_);
  append(inference);
  const auto trace = read_qnn_csv(csv_, {}, before);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->status, TraceStatus::ok);
  EXPECT_TRUE(trace->notes.empty());
}

TEST_F(TraceFiles, ThatAreNotThereAreAFailure) {
  const auto trace = read_qnn_csv(csv_);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().fault, Fault::not_found);
  EXPECT_FALSE(read_qhas(folder_.path()));
  const std::vector<Path> profiles = {csv_};
  EXPECT_FALSE(read_ort_profiles(profiles));
}

TEST_F(TraceFiles, MayBeOneProfilePerRun) {
  const Path first = folder_.path() / "1.json";
  const Path second = folder_.path() / "2.json";
  ASSERT_TRUE(write_file(first, ProfileForTests().node(1, 10, "a").run(0, 20).text()));
  ASSERT_TRUE(write_file(second, ProfileForTests().node(1, 20, "a").run(0, 30).text()));
  const std::vector<Path> profiles = {first, second};
  const auto trace = read_ort_profiles(profiles);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->metadata.num_samples, 2);
  EXPECT_EQ(trace->artifacts.at("profile"), first.string());
  EXPECT_EQ(trace->artifacts.at("profile_2"), second.string());
}

TEST_F(TraceFiles, OfTheBasicLevelStandInForTheDetailedOne) {
  append(inference);
  const OpTrace trace = fall_back_to(*read_qnn_csv(csv_), "viewer_failed", "it ended with 3");
  EXPECT_EQ(trace.status, TraceStatus::basic_fallback);
  EXPECT_EQ(trace.fallback_reason, "viewer_failed");
  EXPECT_EQ(trace.notes, std::vector<std::string>{"it ended with 3"});
  EXPECT_TRUE(trace.has_operators());
}

TEST_F(TraceFiles, WithoutOperatorsStandInForNothing) {
  append("\n");
  const OpTrace trace = fall_back_to(*read_qnn_csv(csv_), "viewer_failed", "");
  EXPECT_EQ(trace.status, TraceStatus::parse_failed);
  EXPECT_FALSE(trace.fallback_reason);
}

}  // namespace
}  // namespace hone
