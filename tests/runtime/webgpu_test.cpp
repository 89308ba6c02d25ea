// WebGPU without a GPU.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/npz/npz.h"
#include "runtime/worker.h"
#include "tests/runtime/swiftshader.h"
#include "tests/runtime/with_runtime.h"

namespace hone {
namespace {

const Path model = HONE_SOURCE_DIR "/build/models/ch_PP-OCRv4_rec_infer.onnx";

// Empty where the test can run.
std::string what_is_missing() {
  if (!std::filesystem::exists(ort_library())) return "no " + ort_library() + ": run make setup";
  if (!std::filesystem::exists(model)) return "no " + model.string() + ": run make setup";
  return what_webgpu_lacks();
}

struct Answer {
  WorkerOpened opened;
  std::vector<TensorPtr> outputs;
};

Result<Answer> run_on(const Target& target, const Path& folder) {
  RunPlan plan;
  plan.model = model;
  plan.ort = {ort_library()};
  plan.target = target;
  plan.shape_config = "x=1x3x48x64";
  plan.samples = 1;
  HONE_TRY(Worker worker, Worker::start(HONE_PROGRAM, {}, webgpu_environment(folder)));
  Answer answer;
  HONE_TRY(answer.opened, worker.open(plan));
  const Path file = folder / (target.ep + ".npz");
  HONE_TRY_DO(worker.save_outputs(0, file));
  HONE_TRY(answer.outputs, read_npz(file));
  return answer;
}

TEST(WebGpu, RunsMostOfARealModelAndAgreesWithTheCpu) {
  if (const std::string missing = what_is_missing(); !missing.empty()) GTEST_SKIP() << missing;
  const TemporaryFolder folder = *TemporaryFolder::create("webgpu");
  const auto gpu = run_on({"webgpu", "auto", {}}, folder.path());
  ASSERT_TRUE(gpu) << words_of(gpu.error());
  const auto cpu = run_on({}, folder.path());
  ASSERT_TRUE(cpu) << words_of(cpu.error());

  EXPECT_EQ(cpu->opened.placement.share_of("cpu"), 1.0);
  EXPECT_GT(gpu->opened.placement.share_of("webgpu").value(), 0.9);
  ASSERT_EQ(gpu->outputs.size(), 1u);
  const std::vector<double> got = *to_doubles(*gpu->outputs[0]);
  const std::vector<double> wanted = *to_doubles(*cpu->outputs[0]);
  ASSERT_EQ(got.size(), wanted.size());
  // Probabilities; the largest difference seen is 5e-6.
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 5e-5) << i;
}

}  // namespace
}  // namespace hone
