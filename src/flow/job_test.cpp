#include "flow/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/build.h"
#include "flow/scripted_worker_for_tests.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

BuildOrder a_build_order() {
  BuildOrder order;
  order.model = "/nowhere/net.onnx";
  order.output = "/nowhere/build";
  return order;
}

TEST(Jobs, OfFilesAnswerWithTheErrorAsItArose) {
  const TemporaryFolder folder = TemporaryFolder::create("jobs").value();
  const Path request = folder.path() / "request.json";
  const Path answer = folder.path() / "answer.json";
  ASSERT_TRUE(write_file(request, request_text(a_build_order())));
  ASSERT_TRUE(answer_file(request, answer));
  const auto read = read_answer<BuildOrder>(read_file(answer).value());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().fault, Fault::not_found);
  EXPECT_THAT(read.error().what, HasSubstr("/nowhere/net.onnx"));
}

TEST(Jobs, OfFilesRefuseAFileThatIsNone) {
  const TemporaryFolder folder = TemporaryFolder::create("jobs").value();
  EXPECT_FALSE(answer_file(folder.path() / "none", folder.path() / "answer"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "answer"));
  EXPECT_EQ(read_answer<BuildOrder>("{}").error().what, "the file holds no answer of a worker");
  EXPECT_FALSE(read_answer<BuildOrder>(R"({"answer")"));
}

TEST(Jobs, TellHowFarTheyAreBeforeTheyAnswer) {
  const ScriptedWorker worker;
  worker.on("build", R"(echo '{"progress": {"doing": "one"}}'; echo '{"answer": {}}')");
  std::vector<std::string> seen;
  Watch watch;
  watch.tell = [&](const FlowProgress& progress) { seen.push_back(progress.doing); };
  EXPECT_TRUE(run_apart(a_build_order(), worker.program(), {}, watch));
  EXPECT_THAT(seen, ElementsAre("one"));
}

TEST(Jobs, ThatSayWhatTheyLackedBeforeTheyDiedHadNoMemory) {
  const ScriptedWorker worker;
  worker.on("build", "echo 'terminate called: std::bad_alloc' >&2; kill -ABRT $$");
  const auto answer = run_apart(a_build_order(), worker.program());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().trouble, Trouble::no_memory);
}

TEST(Jobs, GiveNoAnswerThatIsNone) {
  const ScriptedWorker worker;
  worker.on("build", "echo 'hello'");
  const auto answer = run_apart(a_build_order(), worker.program());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "the worker gave an answer that is none to: build");
}

}  // namespace
}  // namespace hone
