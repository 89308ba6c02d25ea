#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/capture.h"
#include "measure/monitors_for_tests.h"
#include "measure/trace/profile_for_tests.h"
#include "record/gpu_activity.h"

namespace hone {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::string args_of(const std::string& provider) {
  return R"("op_name" : "Conv","provider" : ")" + provider + "\"";
}

// One run of warm-up and two that count, each of two nodes.
ProfileForTests profile_of(const std::string& provider) {
  ProfileForTests profile;
  for (const double at : {1000.0, 2000.0, 3000.0}) {
    profile.run(at, 500);
    profile.event("Node", at + 10, 20, "first_kernel_time", args_of(provider));
    profile.event("Node", at + 40, 10, "second_kernel_time", args_of(provider));
  }
  return profile;
}

class GpuMonitors : public Monitors {
 protected:
  void write_profile(const ProfileForTests& profile) {
    write(folder.path() / "run" / "ort_profile_2026.json", profile.text());
  }
  OpTrace traced(OpenMonitor& monitor, const ProfileForTests& profile) {
    EXPECT_TRUE(monitor.before_open());
    write_profile(profile);
    return monitor.parse(window(1, 2))->op_trace.value();
  }
  MonitorSettings with_cupti() {
    MonitorSettings settings = settings_for("cuda");
    settings.find_library = [](const std::string& name) -> Result<Path> {
      if (name == "libcupti.so.12") return Path("/opt/cupti/libcupti.so.12");
      return fail(Fault::not_found, "no " + name);
    };
    return settings;
  }
};

TEST_F(GpuMonitors, OfWebgpuTakeTheTimesOfTheDevice) {
  const auto monitor = open("webgpu", settings_for("webgpu"));
  ProfileForTests profile = profile_of("WebGpuExecutionProvider");
  for (const double at : {1000.0, 2000.0, 3000.0}) {
    profile.event("Api", at + 60, 1, "first&Conv&Im2Col", "", -1);
    profile.event("Api", at + 70, 200, "second&Conv&MatMul", "", -1);
  }
  const OpTrace trace = traced(*monitor, profile);
  ASSERT_EQ(trace.status, TraceStatus::ok) << trace.error.value_or("");
  EXPECT_EQ(trace.metadata.times, TraceTimes::device);
  EXPECT_EQ(trace.operators.front().op_path, "second") << "the host took longer for the other";
  EXPECT_EQ(trace.operators.front().duration_us, 200);
  EXPECT_EQ(trace.summary.gpu->kernels, 2);
  EXPECT_THAT(monitor->environment(), IsEmpty());
}

TEST_F(GpuMonitors, OfWebgpuCallTheHostsTimesThatWhereTheDeviceTellsNone) {
  const auto monitor = open("webgpu", settings_for("webgpu"));
  const OpTrace trace = traced(*monitor, profile_of("WebGpuExecutionProvider"));
  EXPECT_EQ(trace.metadata.times, TraceTimes::host);
  EXPECT_THAT(trace.notes, Contains(HasSubstr("no times of the GPU")));
  EXPECT_FALSE(trace.summary.gpu);
}

TEST_F(GpuMonitors, OfCudaMakeTheHostWaitWhereThereIsNoCupti) {
  const auto monitor = open("cuda", settings_for("cuda"));
  EXPECT_THAT(monitor->environment(), ElementsAre(Pair("CUDA_LAUNCH_BLOCKING", "1")));
  EXPECT_FALSE(monitor->session_options().contains(std::string(gpu_activity_option)));
  const OpTrace trace = traced(*monitor, profile_of("CUDAExecutionProvider"));
  EXPECT_EQ(trace.metadata.times, TraceTimes::blocking);
  EXPECT_EQ(trace.metadata.tracing_backend, "launch_blocking");
  EXPECT_THAT(trace.notes, Contains(HasSubstr("there is no libcupti.so of the CUDA toolkit")));
}

TEST_F(GpuMonitors, OfCudaTakeKernelsFromCuptiWhereItIs) {
  const auto monitor = open("cuda", with_cupti());
  EXPECT_THAT(monitor->environment(), IsEmpty()) << "nothing is slowed down";
  const MonitorOptions options = monitor->session_options();
  EXPECT_EQ(options.at(std::string(cupti_option)), "/opt/cupti/libcupti.so.12");
  ASSERT_TRUE(monitor->before_open());
  GpuActivity activity;
  for (const double at : {1000.0, 2000.0, 3000.0}) {
    activity.work.push_back(
        {.name = "a", .start_us = at + 60, .duration_us = 1, .launch_us = at + 15});
    activity.work.push_back(
        {.name = "b", .start_us = at + 70, .duration_us = 200, .launch_us = at + 45});
  }
  activity.dropped = 3;
  write(options.at(std::string(gpu_activity_option)), to_document(activity, 1).dump());
  write_profile(profile_of("CUDAExecutionProvider"));
  const OpTrace trace = monitor->parse(window(1, 2))->op_trace.value();
  ASSERT_EQ(trace.status, TraceStatus::ok) << trace.error.value_or("");
  EXPECT_EQ(trace.metadata.times, TraceTimes::device);
  EXPECT_EQ(trace.metadata.tracing_backend, "cupti");
  EXPECT_EQ(trace.operators.front().op_path, "second");
  EXPECT_EQ(trace.operators.front().duration_us, 200);
  EXPECT_EQ(trace.operators.front().host_us, 10);
  EXPECT_THAT(trace.notes, Contains(HasSubstr("3 records of CUPTI are missing")));
}

TEST_F(GpuMonitors, OfCudaCallTheHostsTimesThatWhereCuptiGaveNone) {
  for (const std::string text :
       {"", "{\"schema_version\": 1, \"work\": []}", "{\"schema_version\": 1, \"work\": 7}"}) {
    const auto monitor = open("cuda", with_cupti());
    const MonitorOptions options = monitor->session_options();
    ASSERT_TRUE(monitor->before_open());
    if (!text.empty()) write(options.at(std::string(gpu_activity_option)), text);
    write_profile(profile_of("CUDAExecutionProvider"));
    const OpTrace trace = monitor->parse(window(1, 2))->op_trace.value();
    EXPECT_EQ(trace.metadata.times, TraceTimes::host) << text;
    EXPECT_THAT(trace.notes, Contains(HasSubstr("gave no times of the GPU"))) << text;
    std::filesystem::remove(folder.path() / "run" / "ort_profile_2026.json");
  }
}

TEST_F(GpuMonitors, OfCudaSayWhyCuptiRefusedAndThatTheHostWaited) {
  const auto monitor = open("cuda", with_cupti());
  const MonitorOptions options = monitor->session_options();
  ASSERT_TRUE(monitor->before_open());
  write(options.at(std::string(gpu_activity_option)),
        R"({"schema_version": 1, "problem": "CUPTI cannot record: no permission"})");
  write_profile(profile_of("CUDAExecutionProvider"));
  const OpTrace trace = monitor->parse(window(1, 2))->op_trace.value();
  EXPECT_EQ(trace.metadata.times, TraceTimes::blocking);
  EXPECT_THAT(trace.notes, Contains(HasSubstr("no permission")));
}

TEST_F(GpuMonitors, OfOtherEpsCallTheHostsTimesThat) {
  for (const auto& [ep, times] : {std::pair{"cpu", TraceTimes::operators},
                                  {"dml", TraceTimes::host},
                                  {"tensorrt", TraceTimes::host},
                                  {"SomebodysExecutionProvider", TraceTimes::host}}) {
    const auto monitor = open("ort", settings_for(ep));
    EXPECT_EQ(traced(*monitor, profile_of(ep)).metadata.times, times) << ep;
    std::filesystem::remove(folder.path() / "run" / "ort_profile_2026.json");
  }
}

}  // namespace
}  // namespace hone
