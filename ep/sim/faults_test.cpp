// Crashes, hangs and noise, each in a process of its own.

#include "ep/sim/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ep/testing/host.h"

namespace hone::ep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ProcessEnd registered_with(const std::string& variable, const std::string& value) {
  ProcessOptions process;
  process.environment = {{variable, value}};
  return run_child({}, process);
}

TEST(SimFaults, NoneWithoutAWishAndAnOrderlyEnd) {
  HONE_NEEDS_ORT();
  const ProcessEnd end = run_child({});
  EXPECT_TRUE(end.ok()) << end.describe();
  EXPECT_THAT(end.standard_error, HasSubstr("reached: run 3"));
  EXPECT_THAT(end.standard_error, HasSubstr("reached: closed"));
  EXPECT_EQ(end.standard_output, "");
}

TEST(SimFaults, VirtualDevicesAreOfferedOnlyToARegistrationThatAsksForThem) {
  HONE_NEEDS_ORT();
  const ProcessEnd end = registered_with("HONE_TEST_REGISTRATION", "hone");
  EXPECT_TRUE(end.ok()) << end.describe();
  EXPECT_THAT(end.standard_error, HasSubstr("reached: device cpu"));
  EXPECT_THAT(end.standard_error, Not(HasSubstr("reached: device npu")));
}

TEST(SimFaults, ACrashAtRegistrationIsASignal) {
  HONE_NEEDS_ORT();
  const ProcessEnd end = registered_with("HONE_SIM_CRASH", "register");
  EXPECT_EQ(end.signal, "SIGSEGV");
  EXPECT_THAT(end.standard_error, Not(HasSubstr("reached:")));
}

TEST(SimFaults, AWishForRegistrationThatMeansNothingIsRefused) {
  HONE_NEEDS_ORT();
  const ProcessEnd end = registered_with("HONE_SIM_CRASH", "later");
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.standard_error, HasSubstr("HONE_SIM_CRASH=later is not understood"));
}

// How far a host comes before the fault, and which step it never reaches.
struct Case {
  const char* moment;
  const char* reached;
  const char* not_reached;
};

TEST(SimFaults, ACrashComesAtTheMomentAskedFor) {
  HONE_NEEDS_ORT();
  for (const Case& expected :
       {Case{"create", "registered", "opened"}, Case{"compile", "registered", "opened"},
        Case{"run:1", "opened", "run 1"}, Case{"run:3", "run 2", "run 3"}}) {
    const ProcessEnd end = run_child({std::string("crash=") + expected.moment});
    EXPECT_EQ(end.signal, "SIGSEGV") << expected.moment;
    EXPECT_THAT(end.standard_error, HasSubstr(std::string("reached: ") + expected.reached));
    EXPECT_THAT(end.standard_error,
                Not(HasSubstr(std::string("reached: ") + expected.not_reached)));
  }
}

TEST(SimFaults, AHangLastsUntilItIsEnded) {
  HONE_NEEDS_ORT();
  for (const Case& expected : {Case{"compile", "", "opened"}, Case{"run:2", "", "run 2"}}) {
    ProcessOptions process;
    process.limits.time = std::chrono::seconds(2);
    const ProcessEnd end = run_child({std::string("hang=") + expected.moment}, process);
    EXPECT_TRUE(end.timed_out) << expected.moment;
    EXPECT_THAT(end.standard_error,
                Not(HasSubstr(std::string("reached: ") + expected.not_reached)));
  }
}

TEST(SimFaults, NoiseGoesToTheNativeStandardOutput) {
  HONE_NEEDS_ORT();
  const ProcessEnd end = run_child({"stdout_noise=1"});
  EXPECT_TRUE(end.ok()) << end.describe();
  for (const char* line : {"HoneSim: create\n", "HoneSim: compile\n", "HoneSim: run\n"}) {
    EXPECT_THAT(end.standard_output, HasSubstr(line));
  }
}

}  // namespace
}  // namespace hone::ep::testing
