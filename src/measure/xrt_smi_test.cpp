#include "measure/xrt_smi.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr auto report = R"({
  "schema_version": {"schema": "JSON", "creation_date": "today"},
  "devices": [{
    "interface_type": "pcie", "device_id": "0000:c4:00.1",
    "aie_partitions": {"partitions": [
      {"start_col": "0", "num_cols": "4", "hw_contexts": [
        {"pid": "100", "context_id": "1", "status": "Idle",
         "command_submissions": "41", "command_completions": "40", "errors": "0"},
        {"pid": "200", "context_id": "2", "status": "Running",
         "command_submissions": "7", "command_completions": "7"}]},
      {"hw_contexts": [
        {"pid": 100, "status": "Running", "command_submissions": 2, "command_completions": 1}]}
    ]}
  }]
})";

TEST(XrtSmi, SumsTheContextsOfOneProcessOverPartitions) {
  const auto counts = parse_xrt_smi(report, 100);
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->submissions, 43);
  EXPECT_EQ(counts->completions, 41);
  EXPECT_EQ(counts->status, "Running");
}

TEST(XrtSmi, HasZeroForAProcessWithoutContexts) {
  const auto counts = parse_xrt_smi(report, 300);
  EXPECT_EQ(counts->submissions, 0);
  EXPECT_EQ(counts->status, std::nullopt);
}

TEST(XrtSmi, TakesDevicesWithoutPartitions) {
  EXPECT_EQ(
      parse_xrt_smi(R"({"devices": [{}, {"aie_partitions": {"partitions": ""}}]})", 1)->submissions,
      0);
}

TEST(XrtSmi, RefusesWhatIsNoReport) {
  EXPECT_EQ(parse_xrt_smi("{}", 1).error().what, "the report of xrt-smi lists no devices");
  EXPECT_FALSE(parse_xrt_smi("no json", 1));
}

}  // namespace
}  // namespace hone
