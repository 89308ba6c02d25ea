// Workers: the real program as a child, the real ONNX Runtime in it, and a simulated accelerator
// that misbehaves on request.

#include "runtime/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/json.h"
#include "model/npz/npz.h"
#include "runtime/prepared.h"
#include "tests/runtime/with_runtime.h"

namespace hone {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

using ProviderOptions = std::map<std::string, std::string>;

RunPlan plan_on(const std::string& ep, ProviderOptions options = {}) {
  RunPlan plan;
  plan.model = HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
  plan.ort = {ort_library()};
  plan.target.ep = ep;
  plan.target.options = std::move(options);
  if (ep == "sim") plan.ep_libraries = {{"hone", HONE_EP_LIBRARY}};
  plan.samples = 2;
  return plan;
}

Result<WorkerBlock> run(Worker& worker, std::int64_t iterations) {
  return worker.run({.iterations = iterations, .warmup = 1});
}

class Workers : public WithRuntime {
 protected:
  static Worker start(const WorkerLimits& limits = {}) {
    auto worker = Worker::start(HONE_PROGRAM, limits);
    EXPECT_TRUE(worker) << words_of(worker.error());
    return std::move(worker).value();
  }
  static Worker start_opened(const RunPlan& plan, const WorkerLimits& limits = {}) {
    Worker worker = start(limits);
    const auto opened = worker.open(plan);
    EXPECT_TRUE(opened) << words_of(opened.error());
    return worker;
  }
  // What a worker answers to a line that no parent of ours would send.
  static std::string answer_to(const std::string& line) {
    auto conversation = Conversation::start({HONE_PROGRAM, "worker"});
    EXPECT_TRUE(conversation) << words_of(conversation.error());
    conversation->say(line);
    const auto answer = conversation->hear(std::chrono::minutes(1));
    EXPECT_TRUE(answer) << words_of(answer.error());
    const auto json = Json::parse(*answer);
    EXPECT_TRUE(json) << *answer;
    const Json* error = json->find("error");
    return error != nullptr ? *error->find("what")->as_string() : "(no error) " + *answer;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("worker");
};

// ---- what they are for

TEST_F(Workers, GiveOneSampleForEachIteration) {
  Worker worker = start_opened(plan_on("cpu"));
  for (const std::int64_t iterations : {1, 5, 3}) {
    const auto block = run(worker, iterations);
    ASSERT_TRUE(block) << words_of(block.error());
    EXPECT_THAT(block->samples_ns, AllOf(SizeIs(iterations), Each(Gt(0u))));
  }
}

TEST_F(Workers, EndABlockWhenItsTimeIsOverButNotBeforeTheFirstRun) {
  Worker worker = start_opened(plan_on("cpu"));
  const auto block = worker.run({.iterations = 1'000'000, .time = std::chrono::nanoseconds(1)});
  ASSERT_TRUE(block) << words_of(block.error());
  EXPECT_THAT(block->samples_ns, SizeIs(1));
}

TEST_F(Workers, SaveTheOutputsOfASessionOfOursBitForBit) {
  const RunPlan plan = plan_on("cpu");
  const auto ours = PreparedRun::open(runtime_, plan);
  ASSERT_TRUE(ours) << words_of(ours.error());
  Worker worker = start_opened(plan);
  for (const std::size_t sample : {0u, 1u}) {
    const Path file = folder_.path() / (std::to_string(sample) + ".npz");
    const Status saved = worker.save_outputs(static_cast<std::int64_t>(sample), file);
    ASSERT_TRUE(saved) << words_of(saved.error());
    const NamedTensors wanted = ours->run_for_outputs(sample).value();
    const auto arrays = read_npz(file);
    ASSERT_TRUE(arrays) << words_of(arrays.error());
    ASSERT_EQ(arrays->size(), wanted.size());
    for (const TensorPtr& array : *arrays) {
      EXPECT_EQ(array->dims, wanted.at(array->name)->dims);
      EXPECT_EQ(*array->bytes(), *wanted.at(array->name)->bytes());
    }
  }
}

TEST_F(Workers, AnswerFromFileToFileWhatASessionOfOursDoes) {
  const RunPlan plan = plan_on("sim");
  const auto ours = PreparedRun::open(runtime_, plan_on("cpu"));
  ASSERT_TRUE(ours) << words_of(ours.error());
  ASSERT_TRUE(ours->run(0));
  const Path inputs = folder_.path() / "in.npz";
  const Path outputs = folder_.path() / "out.npz";
  ASSERT_TRUE(write_npz(inputs, {ours->samples().front().at("pixel_values")}));
  Worker worker = start();
  EXPECT_EQ(worker.answer(inputs, outputs).error().what, "no session is open");
  const auto opened = worker.open_session(plan);
  ASSERT_TRUE(opened) << words_of(opened.error());
  EXPECT_EQ(opened->placement.shares.front().ep, "sim");
  const auto answered = worker.answer(inputs, outputs);
  ASSERT_TRUE(answered) << words_of(answered.error());
  ASSERT_THAT(answered->outputs, SizeIs(1));
  EXPECT_EQ(answered->outputs[0].type, "float");
  const auto arrays = read_npz(outputs);
  ASSERT_TRUE(arrays) << words_of(arrays.error());
  EXPECT_EQ(*arrays->front()->bytes(), *ours->run_for_outputs(0)->at("logits")->bytes());
}

TEST_F(Workers, WorkSideBySide) {
  Worker one = start_opened(plan_on("cpu"));
  Worker other = start_opened(plan_on("sim"));
  EXPECT_NE(one.process_id(), other.process_id());
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(run(one, 2));
    EXPECT_TRUE(run(other, 2));
  }
  EXPECT_TRUE(one.close());
  EXPECT_TRUE(run(other, 2));
}

// ---- what may happen in them

TEST_F(Workers, ThatCrashWhileOpeningAreAnErrorThatNamesTheSignal) {
  for (const char* moment : {"create", "compile"}) {
    Worker worker = start();
    const auto opened = worker.open(plan_on("sim", {{"crash", moment}}));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().fault, Fault::runtime);
    EXPECT_THAT(opened.error().what, HasSubstr("killed by SIGSEGV while opening"));
    EXPECT_TRUE(worker.is_gone());
  }
}

TEST_F(Workers, ThatCrashWhileRunningAreAnErrorThatNamesTheSignal) {
  // Opening is run 1, and the warm-up run 2.
  Worker worker = start_opened(plan_on("sim", {{"crash", "run:4"}}));
  const auto block = run(worker, 5);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().fault, Fault::runtime);
  EXPECT_THAT(block.error().what, HasSubstr("killed by SIGSEGV while running"));
  EXPECT_FALSE(run(worker, 1)) << "a dead worker stays dead, and says so";
}

TEST_F(Workers, ThatHangEndAtTheirTimeLimit) {
  Worker opening = start({.open = milliseconds(2000)});
  const auto opened = opening.open(plan_on("sim", {{"hang", "compile"}}));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::timeout);
  EXPECT_THAT(opened.error().what, HasSubstr("gave no answer within 2000 ms"));

  Worker running = start_opened(plan_on("sim", {{"hang", "run:3"}}), {.block = milliseconds(500)});
  const auto block = run(running, 5);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().fault, Fault::timeout);
}

TEST_F(Workers, ThatAreEndedWithAllElseSayThatTheTimeWasOver) {
  Worker worker = start({.until = std::chrono::steady_clock::now() + milliseconds(300)});
  const auto opened = worker.open(plan_on("sim", {{"hang", "compile"}}));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::timeout);
  EXPECT_THAT(opened.error().what, testing::StartsWith("the time was over while opening '"));
}

TEST_F(Workers, KeepWhatAnEpPrintsOutOfTheirAnswers) {
  const ProviderOptions noise = {{"stdout_noise", "1"}};
  Worker worker = start_opened(plan_on("sim", noise));
  const auto block = run(worker, 3);
  ASSERT_TRUE(block) << words_of(block.error());
  EXPECT_THAT(block->samples_ns, SizeIs(3));
  EXPECT_TRUE(worker.close());
  // It did print: what it printed is where errors are, and comes with the next one.
  Worker dying = start();
  const auto opened = dying.open(plan_on("sim", {{"stdout_noise", "1"}, {"crash", "compile"}}));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().cause, HasSubstr("HoneSim: compile"));
}

TEST_F(Workers, ThatNeedTooMuchMemoryAreAnErrorAndNotOurEnd) {
  Worker worker = start({.memory_bytes = std::uint64_t{64} << 20});
  const auto opened = worker.open(plan_on("cpu"));
  ASSERT_FALSE(opened);
  // ONNX Runtime does not fit. With sanitizers not even the start of the program does.
  EXPECT_THAT(words_of(opened.error()),
              AnyOf(HasSubstr("bad_alloc"), HasSubstr("failed to map segment"),
                    HasSubstr("killed by SIGSEGV while opening")));
}

// ---- what may be said to them, and by them

TEST_F(Workers, ForAModelThatIsNotThereSaySo) {
  RunPlan plan = plan_on("cpu");
  plan.model = "/nowhere/model.onnx";
  Worker worker = start();
  const auto opened = worker.open(plan);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::not_found);
  EXPECT_EQ(opened.error().what, "cannot open '/nowhere/model.onnx' on cpu");
  EXPECT_THAT(opened.error().cause, HasSubstr("onnxruntime: "));
}

TEST_F(Workers, OpenAnotherPlanAfterOneThatFailed) {
  Worker worker = start();
  for (int round = 0; round < 2; ++round) {
    const auto refused = worker.open(plan_on("sim", {{"nonsense", "1"}}));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().cause, HasSubstr("HoneSim has no option 'nonsense'"));
    const auto opened = worker.open(plan_on("sim"));
    ASSERT_TRUE(opened) << words_of(opened.error());
    EXPECT_TRUE(run(worker, 2));
  }
  EXPECT_FALSE(worker.is_gone());
}

TEST_F(Workers, RunNothingAfterAPlanThatFailed) {
  Worker worker = start_opened(plan_on("cpu"));
  RunPlan plan = plan_on("cpu");
  plan.model = "/nowhere/model.onnx";
  ASSERT_FALSE(worker.open(plan));
  const auto block = run(worker, 1);
  ASSERT_FALSE(block) << "the session before is not the one that was asked for";
  EXPECT_EQ(block.error().what, "no session is open");
}

TEST_F(Workers, RunNothingOnceTheyAreClosed) {
  Worker worker = start_opened(plan_on("cpu"));
  ASSERT_TRUE(worker.close());
  EXPECT_EQ(run(worker, 1).error().what, "no session is open");
  EXPECT_EQ(worker.save_outputs(0, folder_.path() / "o.npz").error().what, "no session is open");
}

TEST_F(Workers, AnswerNonsenseWithWords) {
  EXPECT_EQ(answer_to("nonsense"), "invalid JSON at line 1, column 2");
  EXPECT_EQ(answer_to("[]"), "a worker cannot ''");
  EXPECT_EQ(answer_to(R"({"do": "dance"})"), "a worker cannot 'dance'");
  EXPECT_EQ(answer_to(R"({"do": "open"})"), "the request has no plan");
  EXPECT_EQ(answer_to(R"({"do": "open", "plan": {}})"), "the document has no 'model'");
  EXPECT_EQ(answer_to(R"({"do": "open", "plan": {"model": "m", "modell": 1}})"),
            "unknown field 'modell' in the document");
  EXPECT_EQ(answer_to(R"({"do": "run"})"), "no session is open");
}

TEST_F(Workers, WhoseAnswerIsNoJsonAreAnError) {
  const Path program = folder_.path() / "mumbler";
  std::ofstream(program) << "#!/bin/sh\nread request\nprintf 'mum\\033ble\\n'\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  auto worker = Worker::start(program, {});
  ASSERT_TRUE(worker) << words_of(worker.error());
  const auto opened = worker->open(plan_on("cpu"));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().what, StartsWith("the worker gave an answer that is no JSON while "));
  EXPECT_EQ(opened.error().cause, "mum\\x1bble: invalid JSON at line 1, column 1");
}

TEST_F(Workers, WhoseProgramIsNotThereAreAnError) {
  const auto worker = Worker::start("/nowhere/hone", {});
  ASSERT_FALSE(worker);
  EXPECT_THAT(worker.error().what, HasSubstr("/nowhere/hone"));
}

}  // namespace
}  // namespace hone
