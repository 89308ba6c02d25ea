// The CSV of a trace, against the rows of a real device's file.

#include "ep/sim/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/text.h"

namespace hone::ep::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SimTrace : public ::testing::Test {
 protected:
  Options options(ProfilingLevel level) const {
    Options made;
    made.profiling_level = level;
    made.profiling_file = file();
    made.profile.clock_mhz = 500;
    made.profile.threads = 4;
    return made;
  }
  Path file() const { return folder_.path() / "trace.csv"; }
  std::vector<std::string> rows() const {
    auto lines = split(read_file(file()).value(), '\n');
    lines.pop_back();
    return lines;
  }
  TemporaryFolder folder_ = TemporaryFolder::create("trace").value();
};

TEST_F(SimTrace, HasTheRowsOfARealDevice) {
  Trace trace(options(ProfilingLevel::detailed));
  const auto graph = trace.add_graph({{"/conv/Conv", 3}, {"a,b", 1}}, 1500us);
  trace.record(graph, 8us, 9us);
  ASSERT_TRUE(trace.write());
  EXPECT_THAT(
      rows(),
      ElementsAre("Msg Timestamp,Message,Time,Unit of Measurement,Timing Source,Event Level,Event "
                  "Identifier",
                  "0,BACKEND,1500,US,BACKEND,ROOT,RPC (finalize) time",
                  "0,BACKEND,1500,US,BACKEND,ROOT,QNN accelerator (finalize) time",
                  "0,BACKEND,1500,US,BACKEND,ROOT,Accelerator (finalize) time",
                  "0,FINALIZE,1500,US,BACKEND,ROOT,QNN (finalize) time",
                  "0,BACKEND,4,COUNT,BACKEND,ROOT,Number of HVX threads used",
                  "0,BACKEND,9,US,BACKEND,ROOT,RPC (execute) time",
                  "0,BACKEND,8,US,BACKEND,ROOT,QNN accelerator (execute) time",
                  "0,BACKEND,0,COUNT,BACKEND,ROOT,Num times yield occured",
                  "0,BACKEND,0,US,BACKEND,ROOT,Time for initial VTCM acquire",
                  "0,BACKEND,0,US,BACKEND,ROOT,Time for HVX + HMX power on and acquire",
                  "0,BACKEND,4000,CYCLES,BACKEND,ROOT,Accelerator (execute) time (cycles)",
                  "0,NODE,0,CYCLES,BACKEND,SUB-EVENT,Input OpId_2 (cycles)",
                  "0,NODE,3000,CYCLES,BACKEND,SUB-EVENT,/conv/Conv:OpId_16 (cycles)",
                  "0,NODE,1000,CYCLES,BACKEND,SUB-EVENT,a,b:OpId_17 (cycles)",
                  "0,NODE,0,CYCLES,BACKEND,SUB-EVENT,Output OpId_3 (cycles)",
                  "0,BACKEND,8,US,BACKEND,ROOT,Accelerator (execute) time",
                  "0,BACKEND,8,US,BACKEND,ROOT,Accelerator (execute excluding wait) time",
                  "0,UNKNOWN,UNKNOWN,OBJECT,BACKEND,ROOT,Unknown event type",
                  "0,EXECUTE,9,US,BACKEND,ROOT,QNN (execute) time"));
}

TEST_F(SimTrace, OfTheBasicLevelHasNoRowsPerNode) {
  Trace trace(options(ProfilingLevel::basic));
  trace.record(trace.add_graph({{"n", 1}}, 1us), 8us, 9us);
  ASSERT_TRUE(trace.write());
  const std::string text = read_file(file()).value();
  EXPECT_THAT(text, Not(HasSubstr("NODE")));
  EXPECT_THAT(text, Not(HasSubstr("CYCLES")));
  EXPECT_THAT(text, HasSubstr("QNN (execute) time"));
}

TEST_F(SimTrace, IsAppendedToAFileThatIsThereWithoutASecondHeading) {
  for (int session = 0; session < 2; ++session) {
    Trace trace(options(ProfilingLevel::basic));
    trace.record(trace.add_graph({{"n", 1}}, 1us), 8us, 9us);
    ASSERT_TRUE(trace.write());
  }
  const auto lines = rows();
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const auto& line) { return line.starts_with("Msg"); }),
            1);
  EXPECT_EQ(
      std::count(lines.begin(), lines.end(), "0,EXECUTE,9,US,BACKEND,ROOT,QNN (execute) time"), 2);
}

TEST_F(SimTrace, WritesNothingWhenItIsOff) {
  Trace trace(options(ProfilingLevel::off));
  trace.record(trace.add_graph({{"n", 1}}, 1us), 8us, 9us);
  EXPECT_TRUE(trace.write());
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(SimTrace, KeepsARowOnOneLineWhateverTheNodeIsCalled) {
  Trace trace(options(ProfilingLevel::detailed));
  trace.record(trace.add_graph({{"two\nlines", 1}}, 1us), 8us, 9us);
  ASSERT_TRUE(trace.write());
  EXPECT_THAT(read_file(file()).value(), HasSubstr(",two_lines:OpId_16 (cycles)\n"));
}

TEST(SimApportion, AddsUpToTheTotalExactly) {
  for (const std::uint64_t total : {0u, 1u, 2u, 7u, 100u, 3755251u}) {
    const auto shares = apportion(total, {0.1, 7, 3, 3, 1e-9, 0});
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}), total);
  }
  EXPECT_THAT(apportion(10, {1, 1, 2}), ElementsAre(3, 2, 5));
  EXPECT_THAT(apportion(3, {0, 0, 0}), ElementsAre(1, 1, 1));
  EXPECT_THAT(apportion(3, {}), ElementsAre());
}

}  // namespace
}  // namespace hone::ep::sim
