#include "measure/monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "kinds/ep.h"
#include "measure/monitors_for_tests.h"

namespace hone {
namespace {

using testing::HasSubstr;

TEST_F(Monitors, HaveUniqueNamesAndShortSummaries) {
  std::set<std::string_view> names;
  for (const Monitor& monitor : all_monitors()) {
    EXPECT_TRUE(names.insert(monitor.name).second) << monitor.name;
    EXPECT_LE(monitor.summary.size(), 72u) << monitor.name;
    EXPECT_NE(monitor.summary.back(), '.') << monitor.name;
  }
  EXPECT_EQ(names.size(), 8u);
}

TEST_F(Monitors, AreFoundByNameOrListed) {
  EXPECT_EQ(find_monitor("qnn")->name, "qnn");
  const auto unknown = find_monitor("qn");
  EXPECT_EQ(unknown.error().what, "there is no monitor 'qn'");
  EXPECT_EQ(unknown.error().cause,
            "it is one of: hw, qnn, sim, openvino, cuda, webgpu, vitisai, ort");
  EXPECT_EQ(unknown.error().hint, "did you mean 'qnn'?");
}

TEST_F(Monitors, TraceWithTheEpsOwnTracerWhereThereIsOne) {
  EXPECT_EQ(tracer_for("qnn").name, "qnn");
  EXPECT_EQ(tracer_for("sim").name, "sim");
  EXPECT_EQ(tracer_for("openvino").name, "openvino");
  EXPECT_EQ(tracer_for("cpu").name, "ort");
  EXPECT_EQ(tracer_for("vitisai").name, "ort");
  EXPECT_EQ(tracer_for("SomebodysExecutionProvider").name, "ort");
}

TEST_F(Monitors, OfAnEpAreThoseItsFileNames) {
  for (const Ep& ep : all_eps()) {
    for (const std::string_view name : ep.monitors) EXPECT_TRUE(find_monitor(name)) << ep.name;
  }
  ASSERT_EQ(monitors_of("vitisai").size(), 1u);
  EXPECT_FALSE(monitors_of("vitisai").front().traces);
  EXPECT_TRUE(monitors_of("SomebodysExecutionProvider").empty());
}

TEST_F(Monitors, AskForTheSameOptionsHoweverOftenTheyAreAsked) {
  const MonitorSettings settings = settings_for("any");
  for (const Monitor& kind : all_monitors()) {
    const auto monitor = kind.open(settings).value();
    EXPECT_EQ(monitor->session_options(), monitor->session_options()) << kind.name;
    EXPECT_EQ(monitor->provider_options(), monitor->provider_options()) << kind.name;
  }
}

TEST_F(Monitors, OrtAsksForAProfileInItsFolder) {
  const MonitorSettings settings = settings_for("cpu");
  const auto monitor = open("ort", settings);
  EXPECT_EQ(
      monitor->session_options(),
      (MonitorOptions{{"session.enable_profiling", (settings.folder / "ort_profile").string()}}));
  EXPECT_TRUE(monitor->provider_options().empty());
}

TEST_F(Monitors, OrtHasNoDataWithoutAProfile) {
  const auto monitor = open("ort", settings_for("cpu"));
  ASSERT_TRUE(monitor->before_open());
  const auto finding = monitor->parse(window(0, 1));
  EXPECT_EQ(finding->op_trace->status, TraceStatus::no_data);
  EXPECT_THAT(finding->op_trace->error.value(), HasSubstr("ONNX Runtime wrote no profile"));
}

TEST_F(Monitors, OrtReadsTheProfileOfThisSessionOnly) {
  const MonitorSettings settings = settings_for("cpu");
  write(settings.folder / "ort_profile_2020-01-01_00-00-00_000.json", "[]");
  const auto monitor = open("ort", settings);
  ASSERT_TRUE(monitor->before_open());
  const Path made = settings.folder / "ort_profile_2025-01-01_00-00-00_000.json";
  write(made, R"([
{"cat":"Session","pid":1,"tid":1,"dur":90,"ts":10,"ph":"X","name":"model_run","args":{}},
{"cat":"Node","pid":1,"tid":1,"dur":60,"ts":20,"ph":"X","name":"conv_kernel_time",
 "args":{"op_name":"Conv","provider":"CPUExecutionProvider","node_index":"0"}}
])");
  const auto finding = monitor->parse(window(0, 1));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->op_trace->status, TraceStatus::ok) << finding->op_trace->error.value_or("");
  EXPECT_EQ(finding->op_trace->artifacts.at("profile"), made.string());
  EXPECT_EQ(finding->op_trace->operators.at(0).op_type, "Conv");
  EXPECT_EQ(finding->op_trace->metadata.model, settings.model.string());
}

TEST_F(Monitors, QnnAsksForTheLevelAndTheFile) {
  MonitorSettings settings = settings_for("qnn");
  const std::string csv = (settings.folder / "qnn_profile.csv").string();
  EXPECT_EQ(open("qnn", settings)->provider_options(),
            (MonitorOptions{{"profiling_file_path", csv}, {"profiling_level", "detailed"}}));
  settings.level = TraceLevel::detail;
  EXPECT_EQ(open("qnn", settings)->provider_options().at("profiling_level"), "optrace");
  EXPECT_TRUE(open("qnn", settings)->session_options().empty());
}

TEST_F(Monitors, QnnHasNoDataWithoutACsv) {
  const auto monitor = open("qnn", settings_for("qnn"));
  ASSERT_TRUE(monitor->before_open());
  const auto finding = monitor->parse(window(0, 1));
  EXPECT_EQ(finding->op_trace->status, TraceStatus::no_data);
  EXPECT_THAT(finding->op_trace->error.value(), HasSubstr("the EP wrote no profiling CSV"));
}

TEST_F(Monitors, QnnHasNoDataWhenTheCsvIsOlderThanTheSession) {
  const MonitorSettings settings = settings_for("qnn");
  write(settings.folder / "qnn_profile.csv", std::string(csv_header) + one_inference);
  const auto monitor = open("qnn", settings);
  ASSERT_TRUE(monitor->before_open());
  EXPECT_EQ(monitor->parse(window(0, 1))->op_trace->status, TraceStatus::no_data);
}

TEST_F(Monitors, QnnLeavesTheWarmupOut) {
  const MonitorSettings settings = settings_for("qnn");
  const auto monitor = open("qnn", settings);
  ASSERT_TRUE(monitor->before_open());
  write(settings.folder / "qnn_profile.csv",
        std::string(csv_header) + one_inference + one_inference + one_inference);
  const auto trace = monitor->parse(window(1, 2))->op_trace.value();
  EXPECT_EQ(trace.status, TraceStatus::ok) << trace.error.value_or("");
  EXPECT_EQ(trace.metadata.num_samples, 2);
  EXPECT_EQ(trace.metadata.warmup_excluded, 1);
}

TEST_F(Monitors, SimReadsItsCsvAndFallsBackFromDetail) {
  MonitorSettings settings = settings_for("sim");
  settings.level = TraceLevel::detail;
  const auto monitor = open("sim", settings);
  EXPECT_EQ(monitor->provider_options().at("profiling_level"), "detailed");
  ASSERT_TRUE(monitor->before_open());
  write(settings.folder / "qnn_profile.csv", std::string(csv_header) + one_inference);
  const auto trace = monitor->parse(window(0, 1))->op_trace.value();
  EXPECT_EQ(trace.status, TraceStatus::basic_fallback);
  EXPECT_EQ(trace.fallback_reason, "sim_has_no_detail");
}

TEST_F(Monitors, OpenvinoSaysWhenTheEpShowsNoKernels) {
  const MonitorSettings settings = settings_for("openvino");
  const auto monitor = open("openvino", settings);
  ASSERT_TRUE(monitor->before_open());
  write(settings.folder / "ort_profile_2025-01-01_00-00-00_000.json", R"([
{"cat":"Session","pid":1,"tid":1,"dur":90,"ts":10,"ph":"X","name":"model_run","args":{}},
{"cat":"Node","pid":1,"tid":1,"dur":60,"ts":20,"ph":"X","name":"OpenVINO_0_kernel_time",
 "args":{"op_name":"OpenVINO_0","provider":"OpenVINOExecutionProvider","node_index":"0"}}
])");
  const auto trace = monitor->parse(window(0, 1))->op_trace.value();
  ASSERT_EQ(trace.status, TraceStatus::ok) << trace.error.value_or("");
  EXPECT_THAT(trace.notes, testing::Contains(HasSubstr("the EP shows no kernels")));
}

// xrt-smi as a script that counts its own calls.
class Vitisai : public Monitors {
 protected:
  std::unique_ptr<OpenMonitor> monitor_with(const std::string& script) {
    MonitorSettings settings = settings_for("vitisai");
    settings.xrt_smi = (folder.path() / "xrt-smi").string();
    write_script(settings.xrt_smi, script);
    return open("vitisai", settings);
  }
  std::string counting_script(int step) {
    const std::string calls = (folder.path() / "calls").string();
    return "echo x >> " + calls + "\ncount=$(( $(wc -l < " + calls + ") * " + std::to_string(step) +
           " ))\necho \"{\\\"devices\\\": [{\\\"aie_partitions\\\": {\\\"partitions\\\": "
           "[{\\\"hw_contexts\\\": [{\\\"pid\\\": " +
           std::to_string(::getpid()) +
           ", \\\"status\\\": \\\"Idle\\\", \\\"command_submissions\\\": $count, "
           "\\\"command_completions\\\": $count}]}]}}]}\" > \"$5\"";
  }
};

TEST_F(Vitisai, ProvesTheNpuByItsCommands) {
  const auto monitor = monitor_with(counting_script(50));
  ASSERT_TRUE(monitor->after_open());
  ASSERT_TRUE(monitor->before_close());
  const EpProof proof = monitor->parse(window(0, 1))->ep_proof.value();
  EXPECT_EQ(proof.npu_proven, true);
  EXPECT_EQ(proof.command_submissions, 50);
  EXPECT_EQ(proof.command_completions, 50);
  EXPECT_EQ(proof.hw_context_status, "Idle");
}

TEST_F(Vitisai, SaysThatNothingReachedTheNpu) {
  const auto monitor = monitor_with(counting_script(0));
  ASSERT_TRUE(monitor->after_open());
  ASSERT_TRUE(monitor->before_close());
  const EpProof proof = monitor->parse(window(0, 1))->ep_proof.value();
  EXPECT_EQ(proof.npu_proven, false);
  EXPECT_EQ(proof.reason, "no command reached the NPU during the measured runs");
}

TEST_F(Vitisai, FailsWithTheToolsOwnWords) {
  const auto monitor = monitor_with("echo 'no device' >&2; exit 2");
  const Status status = monitor->after_open();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "xrt-smi exited with 2");
  EXPECT_EQ(status.error().cause, "no device");
}

}  // namespace
}  // namespace hone
