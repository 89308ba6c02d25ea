#include "flow/search/environment.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Environment, AnotherKernelIsTheSameMachine) {
  MachineFacts machine;
  machine.arch = "x86_64";
  machine.kernel = "6.1.0";
  machine.cpu.model = "A processor";
  machine.cpu.online = 8;
  const std::string key = hardware_key(machine);
  machine.kernel = "6.2.0";
  machine.os = "Another system";
  machine.cpu.current_mhz = 1000;
  EXPECT_EQ(hardware_key(machine), key);
  machine.cpu.model = "Another processor";
  EXPECT_NE(hardware_key(machine), key);
}

TEST(Environment, SaysNothingOfAFactThatItDoesNotKnow) {
  const SearchEnvironment environment{.key = {}, .facts = {{"cpu", "A processor"}}};
  EXPECT_EQ(environment.fact("cpu"), "A processor");
  EXPECT_EQ(environment.fact("ep_version"), "");
}

}  // namespace
}  // namespace hone
