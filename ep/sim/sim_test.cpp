// The simulator as a session sees it: devices, refusals, time, traces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/text.h"
#include "ep/testing/host.h"

namespace hone::ep::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view two_nodes =
    "g (float[8] x) => (float[8] y) { [first] t = Neg(x) [second] y = Relu(t) }";
const Feeds eight = {{"x", floats({8})}};

Opening on_sim(KeyValues options, DeviceType device = device_cpu) {
  return {.bytes = model_of(two_nodes),
          .ep = "HoneSim",
          .device = device,
          .options = std::move(options),
          .level = optimize_none};
}

TEST(Sim, OffersAVirtualGpuAndNpu) {
  HONE_NEEDS_ORT();
  for (const auto type : {device_cpu, device_gpu, device_npu}) {
    const OrtEpDevice* device = Host::get().device("HoneSim", type);
    ASSERT_NE(device, nullptr) << type;
    auto session = Host::get().open(on_sim({}, type));
    ASSERT_TRUE(session) << problem_of(session);
    EXPECT_EQ(session->groups_on("HoneSim").size(), 1u);
    EXPECT_TRUE(session->run(eight));
  }
  EXPECT_NE(Host::get().device("HoneProbe", device_cpu), nullptr);
  EXPECT_EQ(Host::get().device("HoneProbe", device_npu), nullptr);
}

TEST(Sim, RunsAProfileOnlyOnADeviceOfItsClass) {
  HONE_NEEDS_ORT();
  const std::string npu = std::string(HONE_SOURCE_DIR) + "/ep/profiles/npu.json";
  const auto right = Host::get().open(on_sim({{"profile", npu}}, device_npu));
  EXPECT_TRUE(right) << problem_of(right);
  EXPECT_THAT(problem_of(Host::get().open(on_sim({{"profile", npu}}, device_cpu))),
              HasSubstr("the profile 'example-npu' is for a device of class npu, the session is on "
                        "cpu; register the library under a name that ends in .virtual"));
}

TEST(Sim, RefusesOptionsItDoesNotUnderstand) {
  HONE_NEEDS_ORT();
  EXPECT_THAT(problem_of(Host::get().open(on_sim({{"latency", "3"}}))),
              HasSubstr("HoneSim has no option 'latency'; did you mean 'latency_us'?"));
  EXPECT_THAT(problem_of(Host::get().open(on_sim({{"profile", "/none.json"}}))),
              HasSubstr("/none.json"));
  EXPECT_THAT(problem_of(Host::get().open(
                  on_sim({{"profiling_level", "basic"}, {"profiling_file_path", "/none/t.csv"}}))),
              HasSubstr("t.csv"));
}

// --- time. Only what must have been waited is checked: a busy machine may take any time longer.

using Milliseconds = std::chrono::duration<double, std::milli>;

Milliseconds time_of_runs(const KeyValues& options, int runs) {
  auto session = Host::get().open(on_sim(options));
  EXPECT_TRUE(session) << problem_of(session);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) EXPECT_TRUE(session->run(eight));
  return std::chrono::steady_clock::now() - start;
}

TEST(Sim, AddsItsLatencyToEveryRunOfAGroup) {
  HONE_NEEDS_ORT();
  EXPECT_GE(time_of_runs({{"latency_us", "5000"}}, 4).count(), 20);
}

TEST(Sim, LogsTheFactorOfTheSession) {
  HONE_NEEDS_ORT();
  const auto factor = [](const KeyValues& options) {
    Host::get().take_log();
    EXPECT_TRUE(Host::get().open(on_sim(options)));
    const std::string log = Host::get().take_log();
    const std::string before = "runs take ";
    const auto at = log.find(before);
    EXPECT_NE(at, std::string::npos) << log;
    return std::stod(log.substr(at + before.size()));
  };
  EXPECT_EQ(factor({{"effect", "1.02"}}), 1.02);
  const KeyValues seeded = {{"effect", "2"}, {"session_jitter", "0.5"}, {"seed", "7"}};
  EXPECT_EQ(factor(seeded), factor(seeded));
  EXPECT_GT(factor(seeded), 2);
  EXPECT_LT(factor(seeded), 3);
  EXPECT_NE(factor(seeded), factor({{"effect", "2"}, {"session_jitter", "0.5"}, {"seed", "8"}}));
  const KeyValues fresh = {{"effect", "2"}, {"session_jitter", "0.5"}};
  EXPECT_NE(factor(fresh), factor(fresh));
}

// --- traces

std::vector<std::string> rows_of(const Path& file) {
  auto lines = split(read_file(file).value(), '\n');
  lines.pop_back();
  return lines;
}

std::size_t count_of(const std::vector<std::string>& rows, std::string_view part) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(),
                    [&](const std::string& row) { return row.find(part) != std::string::npos; }));
}

TEST(Sim, WritesItsTraceOnlyWhenTheSessionIsDestroyed) {
  HONE_NEEDS_ORT();
  const TemporaryFolder folder = TemporaryFolder::create("sim").value();
  const Path file = folder.path() / "trace.csv";
  {
    auto session = Host::get().open(
        on_sim({{"profiling_level", "detailed"}, {"profiling_file_path", file.string()}}));
    ASSERT_TRUE(session) << problem_of(session);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(session->run(eight));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  const auto rows = rows_of(file);
  EXPECT_EQ(count_of(rows, "Accelerator (execute) time (cycles)"), 3u);
  EXPECT_EQ(count_of(rows, ",first:OpId_16 (cycles)"), 3u);
  EXPECT_EQ(count_of(rows, ",second:OpId_17 (cycles)"), 3u);
  EXPECT_EQ(count_of(rows, "QNN (finalize) time"), 1u);
}

TEST(Sim, TracesThePartsOfADividedGraphOneAfterTheOther) {
  HONE_NEEDS_ORT();
  const TemporaryFolder folder = TemporaryFolder::create("sim").value();
  const Path file = folder.path() / "trace.csv";
  Opening opening = on_sim(
      {{"deny", "Erf"}, {"profiling_level", "detailed"}, {"profiling_file_path", file.string()}});
  opening.bytes =
      model_of("g (float[8] x) => (float[8] y) { [a] t = Neg(x) [b] u = Erf(t) [c] y = Abs(u) }");
  {
    auto session = Host::get().open(opening);
    ASSERT_TRUE(session) << problem_of(session);
    ASSERT_TRUE(session->run(eight));
  }
  const auto rows = rows_of(file);
  EXPECT_EQ(count_of(rows, "Accelerator (execute) time (cycles)"), 2u);
  EXPECT_EQ(count_of(rows, ",a:OpId_16"), 1u);
  EXPECT_EQ(count_of(rows, ",c:OpId_16"), 1u);
  EXPECT_EQ(count_of(rows, ",b:OpId"), 0u);
}

TEST(Sim, OpensAndClosesManySessions) {
  HONE_NEEDS_ORT();
  for (int i = 0; i < 50; ++i) {
    auto session = Host::get().open(on_sim({}));
    ASSERT_TRUE(session) << problem_of(session);
    ASSERT_TRUE(session->run(eight));
  }
}

}  // namespace
}  // namespace hone::ep::testing
