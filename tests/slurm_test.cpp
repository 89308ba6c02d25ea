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
  {"label": "qnn_npu", "target": {"ep": "qnn", "device": "npu"}, "build_only": true,
   "slurm": {"partition": "npus"}}]})";

constexpr std::string_view one_target = R"({"schema_version": 1, "targets": [
  {"label": "mlas_cpu", "target": {"ep": "cpu", "device": "cpu"}}]})";

class OnSlurm : public ::testing::Test {
 protected:
  // One cluster for all tests: each looks at tasks of its own folder only.
  static void SetUpTestSuite() {
    if (SlurmCluster::obstacle().empty()) cluster_ = std::make_unique<SlurmCluster>();
  }
  static void TearDownTestSuite() { cluster_.reset(); }

  void SetUp() override {
    if (!cluster_) GTEST_SKIP() << "skipped: " << SlurmCluster::obstacle();
    ASSERT_TRUE(cluster_->is_up()) << cluster_->logs();
    environment_ = {cluster_->environment()};
    write("targets.json", targets);
    write("models.json", catalog);
  }
  void TearDown() override {
    if (!cluster_) return;
    for (const std::string& task : tasks()) cluster_->cancel(task);
    cluster_->open();
  }

  void write(const char* name, std::string_view text) const {
    std::string with_paths(text);
    for (std::size_t at = 0; (at = with_paths.find("MODELS")) != std::string::npos;)
      with_paths.replace(at, 6, HONE_SOURCE_DIR "/tests/fixtures/tiny");
    ASSERT_TRUE(write_file(folder_.path() / name, with_paths));
  }

  static std::vector<std::string> words(const std::string& runner, const std::string& output,
                                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {
        HONE_PROGRAM, "sweep", "--catalog",   "models.json", "--targets", "targets.json",
        "-o",         output,  "--run-stamp", "run",         "--runner",  runner,
        "-j",         "2",     "--format",    "json",        "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  ProcessOptions options() const {
    ProcessOptions options;
    options.environment = environment_;
    options.folder = folder_.path();
    return options;
  }
  ProcessEnd sweep(const std::string& runner, const std::string& output,
                   const std::vector<std::string>& more = {}) const {
    return *run_process(words(runner, output, more), options());
  }
  Conversation start(const std::vector<std::string>& more = {}) const {
    return *Conversation::start(words("slurm", "out", more), options());
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

  // The names of our tasks; with a state, of those that are in it.
  std::vector<std::string> tasks(std::string_view state = {}) const {
    std::vector<std::string> names;
    for (const SlurmCluster::Task& task : cluster_->tasks()) {
      const bool is_ours = task.folder == folder_.path().string();
      if (is_ours && (state.empty() || task.state == state)) names.push_back(task.name);
    }
    return names;
  }
  bool waits_for(std::size_t count, std::string_view state) const {
    return SlurmCluster::wait_until([&] { return tasks(state).size() == count; });
  }
  // A sweep that is killed with -9 when its first tasks wait in the queue.
  void kill_one_that_waits() const {
    cluster_->close();
    const auto running = start();
    ASSERT_TRUE(waits_for(2, "PENDING"));
  }

  // Tasks that have begun do nothing as long as that file is there: their script calls this sed.
  Path hold_tasks() {
    const Path hold = folder_.path() / "hold";
    const Path sed = folder_.path() / "bin/sed";
    std::filesystem::create_directories(sed.parent_path());
    EXPECT_TRUE(write_file(hold, ""));
    EXPECT_TRUE(write_file(sed,
                           "#!/bin/sh\nwhile [ -e \"$HOLD\" ]; do sleep 0.1; done\n"
                           "exec /bin/sed \"$@\"\n"));
    std::filesystem::permissions(sed, std::filesystem::perms::owner_all);
    environment_.emplace_back("HOLD", hold.string());
    environment_.emplace_back("PATH", sed.parent_path().string() + ":" + std::getenv("PATH"));
    return hold;
  }

  static inline std::unique_ptr<SlurmCluster> cluster_;
  TemporaryFolder folder_ = *TemporaryFolder::create("slurm sweep 100%j");
  std::vector<std::pair<std::string, std::string>> environment_;
};

TEST_F(OnSlurm, ASweepMakesTheSameFilesAsOnThisMachine) {
  const ProcessEnd there = sweep("slurm", "there");
  ASSERT_TRUE(there.ok()) << there.standard_error << there.standard_output;
  const ProcessEnd here = sweep("local", "here");
  ASSERT_TRUE(here.ok()) << here.standard_error;
  EXPECT_EQ(files_of(result_of(there)).size(), 4u);
  EXPECT_EQ(files_of(result_of(there)), files_of(result_of(here)));
  EXPECT_EQ(tasks().size(), 4u);
  EXPECT_TRUE(sweep("slurm", "there", {"--continue"}).ok());
  EXPECT_EQ(tasks().size(), 4u) << "what is done is not submitted again";
}

TEST_F(OnSlurm, ATaskThatIsCancelledIsTriedAgain) {
  write("targets.json", one_target);
  const Path hold = hold_tasks();
  auto running = start();
  ASSERT_TRUE(waits_for(2, "RUNNING"));
  cluster_->cancel(tasks("RUNNING").front());
  ASSERT_TRUE(waits_for(1, "CANCELLED"));
  std::filesystem::remove(hold);
  const ProcessEnd end = running.finish(std::chrono::minutes(4));
  ASSERT_TRUE(end.ok()) << end.describe() << end.standard_error;
  EXPECT_EQ(tasks().size(), 3u);
  EXPECT_EQ(tasks("CANCELLED").size(), 1u);
}

TEST_F(OnSlurm, ASweepThatWasKilledGoesOnWithTheTasksThatItSubmitted) {
  write("targets.json", one_target);
  kill_one_that_waits();
  // Written when the queue has been read: the tasks wait until then.
  const Path script = folder_.path() / "out/jobs/cell.sh";
  ASSERT_TRUE(std::filesystem::remove(script));
  auto running = start({"--continue"});
  ASSERT_TRUE(SlurmCluster::wait_until([&] { return std::filesystem::exists(script); }));
  cluster_->open();
  const ProcessEnd end = running.finish(std::chrono::minutes(4));
  ASSERT_TRUE(end.ok()) << end.describe() << end.standard_error;
  EXPECT_EQ(tasks("COMPLETED").size(), 2u);
  EXPECT_EQ(tasks().size(), 2u);
}

TEST_F(OnSlurm, OutcomesThatCameAfterTheSweepWasKilledCount) {
  kill_one_that_waits();
  cluster_->open();
  ASSERT_TRUE(waits_for(2, "COMPLETED"));
  const ProcessEnd end = sweep("slurm", "out", {"--continue"});
  ASSERT_TRUE(end.ok()) << end.describe() << end.standard_error;
  EXPECT_EQ(files_of(result_of(end)).size(), 4u);
  EXPECT_EQ(tasks().size(), 4u);
}

// Slurm forgets a task of an array that is cancelled before it began, so that it is looked for by
// its name.
TEST_F(OnSlurm, TasksOfASweepThatIsBegunAnewAreCancelled) {
  write("targets.json", one_target);
  kill_one_that_waits();
  const std::vector<std::string> before = tasks();
  auto running = start({"--overwrite"});
  const auto are_others = [&] {
    const std::vector<std::string> now = tasks("PENDING");
    return now.size() == 2 && std::ranges::find_first_of(now, before) == now.end();
  };
  ASSERT_TRUE(SlurmCluster::wait_until(are_others));
  cluster_->open();
  const ProcessEnd end = running.finish(std::chrono::minutes(4));
  EXPECT_TRUE(end.ok()) << end.describe() << end.standard_error;
  EXPECT_EQ(tasks("COMPLETED").size(), 2u);
}

TEST_F(OnSlurm, AnInterruptionCancelsWhatWasSubmitted) {
  cluster_->close();
  auto running = start();
  ASSERT_TRUE(waits_for(2, "PENDING"));
  ::kill(running.process_id(), SIGINT);
  const ProcessEnd end = running.finish(std::chrono::minutes(2));
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(tasks("CANCELLED").size(), 2u);
}

TEST_F(OnSlurm, NothingListensElsewhereThanOnLoopback) {
  constexpr std::string_view loopback = "0100007F";
  constexpr std::string_view listening = " 0A ";
  std::size_t found = 0;
  for (const char* file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    for (const std::string& line : split(read_text(file).value_or(""), '\n')) {
      for (const std::uint16_t port : cluster_->ports()) {
        char end[8];
        std::snprintf(end, sizeof end, ":%04X ", port);
        const std::size_t at = line.find(end);
        if (at == std::string::npos || line.find(listening) == std::string::npos) continue;
        EXPECT_THAT(line.substr(0, at), ::testing::EndsWith(loopback));
        ++found;
      }
    }
  }
  EXPECT_EQ(found, 2u);
}

TEST_F(OnSlurm, WithoutAControllerNothingIsBegun) {
  environment_ = {cluster_->environment_without_controller()};
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
  EXPECT_TRUE(tasks().empty());
}

TEST_F(OnSlurm, AKeyThatSlurmIsNotToldIsRefused) {
  std::string wrong(targets);
  wrong.replace(wrong.find("partition"), 9, "wrap");
  write("targets.json", wrong);
  const ProcessEnd end = sweep("slurm", "out");
  EXPECT_FALSE(end.ok());
  EXPECT_THAT(end.standard_output + end.standard_error,
              HasSubstr("partition, constraint, gres, account, qos, nodelist"));
  EXPECT_TRUE(tasks().empty());
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
