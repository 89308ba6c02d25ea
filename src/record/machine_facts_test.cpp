#include "record/machine_facts.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

MachineFacts example() {
  MachineFacts facts;
  facts.os = "Debian";
  facts.kernel = "6.1";
  facts.arch = "x86_64";
  facts.cpu.model = "AMD EPYC";
  facts.cpu.online = 8;
  facts.cpu.allowed = 4;
  facts.cpu.quota = 1.5;
  facts.memory.total_bytes = 1000;
  facts.memory.limit_bytes = 400;
  facts.temperatures = {{"cpu", 45.5, std::nullopt}};
  return facts;
}

TEST(MachineFacts, ComeBackFromTheirJson) {
  const Json json = to_json(example());
  const auto again = from_json<MachineFacts>(json);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(to_json(*again), json);
}

TEST(MachineFacts, WriteNullForWhatIsNotKnown) {
  const Json json = to_json(example());
  for (const char* name : {"load", "on_battery", "hypervisor", "thermal_throttle_events"}) {
    EXPECT_TRUE(json.find(name)->is_null()) << name;
  }
  EXPECT_TRUE(json.find("cpu")->find("current_mhz")->is_null());
}

TEST(MachineFacts, GiveEveryResultWhatThisProcessCouldUse) {
  const Machine machine = machine_of(example());
  EXPECT_EQ(machine.cpu, "AMD EPYC");
  EXPECT_EQ(machine.cores, 2);
  EXPECT_EQ(machine.memory_bytes, 400u);
}

}  // namespace
}  // namespace hone
