#include "record/perf.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : *json.as_object()) keys.push_back(key);
  return keys;
}

TEST(Perf, HasTheFieldsThatScriptsRelyOn) {
  const Json document = to_document(PerfResult{}, perf_schema_version);
  EXPECT_EQ(keys_of(document).front(), "schema_version");
  for (const char* name : {"benchmark_info", "model_info", "latency_ms", "throughput",
                           "raw_samples_ms", "placement", "memory", "hw_monitor", "op_trace"}) {
    EXPECT_NE(document.find(name), nullptr) << name;
  }
  for (const char* name :
       {"mean", "min", "max", "p50", "p90", "p95", "p99", "std", "warmup_mean"}) {
    ASSERT_NE(document.find("latency_ms")->find(name), nullptr) << name;
    EXPECT_TRUE(document.find("latency_ms")->find(name)->is_null()) << name;
  }
}

TEST(Perf, WritesNullForWhatWasNotMeasured) {
  const Json json = to_json(PerfResult{});
  for (const char* name : {"placement", "memory", "hw_monitor", "op_trace"}) {
    EXPECT_TRUE(json.find(name)->is_null()) << name;
  }
  EXPECT_TRUE(json.find("throughput")->find("samples_per_sec")->is_null());
}

TEST(Perf, ComesBackFromItsOwnDocument) {
  PerfResult result;
  result.benchmark_info.model_id = "model.onnx";
  result.benchmark_info.ep_options = {{"device_type", "NPU"}};
  result.model_info.input_shapes = {{Json("N"), Json(3), Json()}};
  result.latency_ms.p50 = 1.25;
  result.latency_ms.not_supported = {"p99 not supported (needs 662 samples, have 300)"};
  result.raw_samples_ms = {1.0, 1.5};
  result.steady_state.state = Steadiness::steady;
  result.memory = PerfMemory{.rss_baseline_mb = 10.5};
  result.hw_monitor = HwMonitorRecord{};
  result.hw_monitor->channels = {{.name = "clock", .unit = "MHz", .reason = "no cpufreq"}};
  result.placement = Placement{};
  const Json document = to_document(result, perf_schema_version);
  const Result<PerfResult> again = from_document<PerfResult>(document, perf_schema_version);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(to_document(*again, perf_schema_version), document);
}

TEST(HwMonitorRecord, KeepsTheNamesOfItsParts) {
  const Json json = to_json(HwMonitorRecord{});
  EXPECT_EQ(keys_of(*json.find("cpu")),
            (std::vector<std::string>{"mean_pct", "process_mean_pct", "peak_pct", "sample_count"}));
  EXPECT_EQ(keys_of(*json.find("ram")),
            (std::vector<std::string>{"mean_mb", "used_mb", "peak_mb"}));
}

}  // namespace
}  // namespace hone
