// Sweeps on a real Slurm cluster of one machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/process.h"
#include "record/sweep.h"
#include "tests/slurm_cluster.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::SlurmCluster;

constexpr std::string_view catalog = R"({"schema_version": 1, "models": [
  {"id": "tiny/resnet", "model": "MODELS/resnet-cls/torch-opset17.onnx"},
  {"id": "tiny/bert", "model": "MODELS/bert-cls/torch-opset17.onnx"}]})";

constexpr std::string_view targets = R"({"schema_version": 1, "targets": [
  {"label": "mlas_cpu", "target": {"ep": "cpu", "device": "cpu"}},
  {"label": "qnn_npu", "target": {"ep": "qnn", "device": "npu"},
   "slurm": {"partition": "npus"}}]})";

class OnSlurm : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = SlurmCluster::missing_program();
    if (!missing.empty()) GTEST_SKIP() << missing << " is not installed";
    cluster_ = std::make_unique<SlurmCluster>();
    environment_ = cluster_->environment();
    write("targets.json", targets);
    write("models.json", catalog);
  }

  void write(const char* name, std::string_view text) const {
    std::string with_paths(text);
    for (std::size_t at = 0; (at = with_paths.find("MODELS")) != std::string::npos;)
      with_paths.replace(at, 6, HONE_SOURCE_DIR "/tests/fixtures/tiny");
    ASSERT_TRUE(write_file(folder_.path() / name, with_paths));
  }

  std::vector<std::string> words(const std::string& runner, const std::string& output,
                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {HONE_PROGRAM,  "sweep",
                                      "--catalog",   (folder_.path() / "models.json").string(),
                                      "--targets",   (folder_.path() / "targets.json").string(),
                                      "-o",          (folder_.path() / output).string(),
                                      "--run-stamp", "run",
                                      "--runner",    runner,
                                      "-j",          "2",
                                      "--format",    "json",
                                      "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  ProcessOptions options() const {
    ProcessOptions options;
    options.environment = {environment_};
    return options;
  }
  ProcessEnd sweep(const std::string& runner, const std::string& output,
                   const std::vector<std::string>& more = {}) const {
    return *run_process(words(runner, output, more), options());
  }
  static SweepResult result_of(const ProcessEnd& end) {
    const auto document = Json::parse(end.standard_output);
    if (!document) return {};
    return *from_document<SweepResult>(*document, sweep_schema_version);
  }
  // "sha256 path" by cell.
  static std::map<std::string, std::vector<std::string>> files_of(const SweepResult& result) {
    std::map<std::string, std::vector<std::string>> files;
    for (const SweepCell& cell : result.cells) {
      for (const PackageEntry& file : cell.files)
        files[cell.version].push_back(file.sha256 + " " + file.path);
    }
    return files;
  }
  // A sweep that is killed with -9 when its first tasks wait in the queue.
  void kill_one_that_waits(const std::string& output) const {
    cluster_->close();
    auto running = *Conversation::start(words("slurm", output), options());
    ASSERT_TRUE(SlurmCluster::wait_until([&] { return cluster_->tasks("PENDING").size() == 2; }));
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("slurm sweep 100%j");
  std::unique_ptr<SlurmCluster> cluster_;
  std::pair<std::string, std::string> environment_;
};

TEST_F(OnSlurm, ASweepMakesTheSameFilesAsOnThisMachine) {
  const ProcessEnd there = sweep("slurm", "there");
  ASSERT_TRUE(there.ok()) << there.standard_error << there.standard_output;
  const ProcessEnd here = sweep("local", "here");
  ASSERT_TRUE(here.ok()) << here.standard_error;
  EXPECT_EQ(files_of(result_of(there)).size(), 4u);
  EXPECT_EQ(files_of(result_of(there)), files_of(result_of(here)));
  EXPECT_EQ(cluster_->tasks().size(), 4u);
  EXPECT_TRUE(sweep("slurm", "there", {"--continue"}).ok());
  EXPECT_EQ(cluster_->tasks().size(), 4u) << "what is done is not submitted again";
}

TEST_F(OnSlurm, ATaskThatIsCancelledIsTriedAgain) {
  auto running = *Conversation::start(words("slurm", "out"), options());
  ASSERT_TRUE(SlurmCluster::wait_until([&] { return !cluster_->tasks("RUNNING").empty(); }));
  cluster_->cancel(cluster_->tasks("RUNNING").front());
  const ProcessEnd end = running.finish(std::chrono::minutes(4));
  ASSERT_TRUE(end.ok()) << end.describe() << end.standard_error;
  EXPECT_EQ(cluster_->tasks().size(), 5u);
  EXPECT_EQ(cluster_->tasks("CANCELLED").size(), 1u);
}

TEST_F(OnSlurm, ASweepThatWasKilledGoesOnWithTheTasksThatItSubmitted) {
  kill_one_that_waits("out");
  auto running = *Conversation::start(words("slurm", "out", {"--continue"}), options());
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(cluster_->tasks().size(), 2u);
  cluster_->open();
  const ProcessEnd end = running.finish(std::chrono::minutes(4));
  ASSERT_TRUE(end.ok()) << end.describe() << end.standard_error;
  EXPECT_EQ(cluster_->tasks().size(), 4u);
}

TEST_F(OnSlurm, OutcomesThatCameAfterTheSweepWasKilledCount) {
  kill_one_that_waits("out");
  cluster_->open();
  ASSERT_TRUE(SlurmCluster::wait_until([&] { return cluster_->tasks("COMPLETED").size() == 2; }));
  const ProcessEnd end = sweep("slurm", "out", {"--continue"});
  ASSERT_TRUE(end.ok()) << end.describe() << end.standard_error;
  EXPECT_EQ(files_of(result_of(end)).size(), 4u);
  EXPECT_EQ(cluster_->tasks().size(), 4u);
}

TEST_F(OnSlurm, TasksOfASweepThatIsBegunAnewAreCancelled) {
  kill_one_that_waits("out");
  auto running = *Conversation::start(words("slurm", "out", {"--overwrite"}), options());
  ASSERT_TRUE(SlurmCluster::wait_until([&] {
    return cluster_->tasks("PENDING").size() == 2 && cluster_->tasks("CANCELLED").size() == 2;
  }));
  cluster_->open();
  const ProcessEnd end = running.finish(std::chrono::minutes(4));
  EXPECT_TRUE(end.ok()) << end.describe() << end.standard_error;
}

TEST_F(OnSlurm, AnInterruptionCancelsWhatWasSubmitted) {
  cluster_->close();
  auto running = *Conversation::start(words("slurm", "out"), options());
  ASSERT_TRUE(SlurmCluster::wait_until([&] { return cluster_->tasks("PENDING").size() == 2; }));
  ::kill(running.process_id(), SIGINT);
  const ProcessEnd end = running.finish(std::chrono::minutes(2));
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(cluster_->tasks("CANCELLED").size(), 2u);
}

TEST_F(OnSlurm, WithoutAControllerNothingIsBegun) {
  environment_ = cluster_->environment_without_controller();
  const ProcessEnd end = sweep("slurm", "out");
  EXPECT_FALSE(end.ok());
  EXPECT_THAT(end.standard_output + end.standard_error,
              HasSubstr("Unable to contact slurm controller"));
  EXPECT_THAT(end.standard_output + end.standard_error, HasSubstr("scontrol ping"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out/jobs"));
}

TEST_F(OnSlurm, WhatSlurmRefusesIsSaidInItsWords) {
  std::string wrong(targets);
  const std::string before = R"("device": "cpu"})";
  wrong.insert(wrong.find(before) + before.size(), R"(, "slurm": {"partition": "no; such"})");
  write("targets.json", wrong);
  const ProcessEnd end = sweep("slurm", "out");
  EXPECT_FALSE(end.ok());
  EXPECT_THAT(end.standard_output + end.standard_error, HasSubstr("Invalid partition name"));
  EXPECT_TRUE(cluster_->tasks().empty());
}

TEST_F(OnSlurm, AKeyThatSlurmIsNotToldIsRefused) {
  std::string wrong(targets);
  wrong.replace(wrong.find("partition"), 9, "wrap");
  write("targets.json", wrong);
  const ProcessEnd end = sweep("slurm", "out");
  EXPECT_FALSE(end.ok());
  EXPECT_THAT(end.standard_output + end.standard_error,
              HasSubstr("partition, constraint, gres, account, qos, nodelist"));
  EXPECT_TRUE(cluster_->tasks().empty());
}

TEST(Slurm, WhereItIsNotInstalledThatIsSaid) {
  const TemporaryFolder folder = *TemporaryFolder::create("no slurm");
  ASSERT_TRUE(write_file(folder.path() / "models.json",
                         R"({"schema_version": 1, "models": [{"id": "a", "model": "a.onnx"}]})"));
  ProcessOptions options;
  options.environment = {{"PATH", folder.path().string()}};
  const auto end =
      run_process({HONE_PROGRAM, "sweep", "--catalog", (folder.path() / "models.json").string(),
                   "--ep", "cpu", "-o", (folder.path() / "out").string(), "--runner", "slurm"},
                  options);
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->ok());
  EXPECT_THAT(end->standard_error, HasSubstr("there is no Slurm on this machine"));
}

}  // namespace
}  // namespace hone
