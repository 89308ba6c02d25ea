// Sessions that run at once, and the ways in which inputs and outputs are bound.

#include "runtime/streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/worker.h"
#include "tests/runtime/with_runtime.h"

namespace hone {
namespace {

using testing::Each;
using testing::Gt;
using testing::SizeIs;

RunPlan tiny_plan() {
  RunPlan plan;
  plan.model = HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
  plan.ort = {ort_library()};
  plan.threads = 1;
  return plan;
}

class Streams : public WithRuntime {
 protected:
  std::vector<PreparedRun> open(std::size_t count) {
    std::vector<PreparedRun> streams;
    for (std::size_t i = 0; i < count; ++i)
      streams.push_back(PreparedRun::open(runtime_, tiny_plan()).value());
    return streams;
  }
};

TEST_F(Streams, MakeAsManyRunsTogetherAsAreAskedFor) {
  for (const std::size_t count : {1u, 3u}) {
    const auto block = time_streams(open(count), {.warmup = 1, .iterations = 10});
    ASSERT_TRUE(block) << block.error().what;
    EXPECT_THAT(block->samples_ns, SizeIs(10));
    EXPECT_THAT(block->samples_ns, Each(Gt(0u)));
    EXPECT_GT(block->elapsed_ns, 0u);
  }
}

TEST_F(Streams, RunEachAtLeastOnceHoweverShortTheTime) {
  const auto block =
      time_streams(open(2), {.iterations = 1000, .limit = std::chrono::nanoseconds(0)});
  ASSERT_TRUE(block);
  EXPECT_THAT(block->samples_ns, SizeIs(2));
}

TEST_F(Streams, AreOneSessionEachInAWorker) {
  RunPlan plan = tiny_plan();
  plan.streams = 2;
  auto worker = Worker::start(HONE_PROGRAM, {});
  ASSERT_TRUE(worker);
  const auto opened = worker->open(plan);
  ASSERT_TRUE(opened) << words_of(opened.error());
  const auto block = worker->run({.iterations = 8, .warmup = 1});
  ASSERT_TRUE(block) << words_of(block.error());
  EXPECT_THAT(block->samples_ns, SizeIs(8));
  EXPECT_TRUE(worker->close());
}

TEST_F(Streams, GiveTheSameAnswersHoweverTheyAreBound) {
  const auto outputs_with = [&](IoBinding how) {
    RunPlan plan = tiny_plan();
    plan.io_binding = how;
    const auto prepared = PreparedRun::open(runtime_, plan);
    EXPECT_TRUE(prepared) << name_of(how);
    EXPECT_TRUE(prepared->run(1));
    EXPECT_TRUE(prepared->time_runs(0, 3, std::chrono::hours(1)));
    return prepared->run_for_outputs(1).value();
  };
  const NamedTensors usual = outputs_with(IoBinding::automatic);
  for (const IoBinding how : {IoBinding::device, IoBinding::none}) {
    const NamedTensors other = outputs_with(how);
    ASSERT_EQ(other.size(), usual.size());
    for (const auto& [name, tensor] : usual)
      EXPECT_TRUE(other.at(name)->bytes().value() == tensor->bytes().value()) << name_of(how);
  }
}

}  // namespace
}  // namespace hone
