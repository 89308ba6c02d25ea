// The op trace of WebGPU, by timestamps of the device, without a GPU.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/perf.h"
#include "ort_library.h"
#include "tests/runtime/swiftshader.h"

namespace hone {
namespace {

using testing::Ge;
using testing::SizeIs;

std::string what_is_missing() {
  if (!std::filesystem::exists(ort_library())) return "no " + ort_library() + ": run make setup";
  return what_webgpu_lacks();
}

TEST(WebGpuTrace, IsOfTheDevicesOwnTimestamps) {
  if (const std::string missing = what_is_missing(); !missing.empty()) GTEST_SKIP() << missing;
  const TemporaryFolder folder = TemporaryFolder::create("webgpu-trace").value();
  PerfPlan plan;
  plan.run.model = HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
  plan.run.ort = {ort_library()};
  plan.run.target = {.ep = "webgpu", .device = "auto", .options = {}};
  plan.loop = {.warmup = 1, .iterations = 3};
  plan.program = HONE_PROGRAM;
  plan.environment = webgpu_environment(folder.path());
  plan.limits.open = plan.limits.block = std::chrono::minutes(9);
  plan.tracing = TraceLevel::basic;
  plan.trace_folder = folder.path();
  const auto result = measure_perf(plan);
  ASSERT_TRUE(result) << result.error().what << ": " << result.error().cause;
  const OpTrace& trace = result->op_trace.value();
  ASSERT_EQ(trace.status, TraceStatus::ok) << trace.error.value_or("");
  EXPECT_EQ(trace.metadata.times, TraceTimes::device);
  EXPECT_EQ(trace.metadata.tracing_backend, "webgpu");
  EXPECT_EQ(trace.metadata.num_samples, 3);
  EXPECT_TRUE(trace.metadata.timestamp);

  // Every dispatch has its node, and the host's time stands beside the device's.
  const TraceGpu& gpu = trace.summary.gpu.value();
  EXPECT_THAT(gpu.kernels, Ge(20));
  EXPECT_EQ(gpu.unmatched_us, 0);
  EXPECT_GT(gpu.busy_us, 0);
  double in_kernels = 0;
  for (const TraceOperator& op : trace.operators) {
    ASSERT_TRUE(op.host_us) << op.op_path;
    EXPECT_THAT(op.samples_us, SizeIs(3));
    for (const TraceKernel& kernel : *op.kernels) in_kernels += kernel.calls;
  }
  EXPECT_NEAR(in_kernels, gpu.kernels, 1e-6);
  EXPECT_NEAR(trace.summary.accounted_us + trace.summary.gaps_us.value(),
              result->latency_ms.p50.value() * 1000, 1e-6);
}

}  // namespace
}  // namespace hone
