// Sweeps as a person runs them: whole processes and a real registry, killed at any moment and
// continued.

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/json.h"
#include "base/random.h"
#include "base/stopped_for_tests.h"
#include "catalog/oci/registry_for_tests.h"
#include "record/sweep.h"

namespace hone {
namespace {

using testing::RealRegistry;

class SweepProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RealRegistry::is_installed()) GTEST_SKIP() << "skipped: docker-registry is not installed";
    registry_ = std::make_unique<RealRegistry>();
    const std::string tiny = HONE_SOURCE_DIR "/tests/fixtures/tiny/";
    write("catalog.json", R"({"schema_version": 1, "models": [
        {"id": "tiny/bert", "model": ")" +
                              tiny + R"(bert/torch-opset17.onnx"},
        {"id": "tiny/resnet", "model": ")" +
                              tiny + R"(resnet-cls/torch-opset17.onnx"}]})");
    write("targets.json", R"({"schema_version": 1, "targets": [
        {"label": "npu", "target": {"ep": "qnn", "device": "npu"}, "build_only": true},
        {"label": "cpu", "target": {"ep": "cpu", "device": "cpu"}}]})");
  }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder_.path() / name, text));
  }
  std::string place(const std::string& repository) const {
    return "oci://" + registry_->address() + "/" + repository;
  }
  ProcessEnd sweep(const std::string& output, const std::string& repository,
                   std::vector<std::string> more = {}, const std::atomic<bool>* stop = nullptr) {
    std::vector<std::string> words = {HONE_PROGRAM,  "sweep",        "--catalog", "catalog.json",
                                      "--targets",   "targets.json", "-o",        output,
                                      "--run-stamp", "one",          "--upload",  place(repository),
                                      "-q"};
    words.insert(words.end(), more.begin(), more.end());
    ProcessOptions options;
    options.folder = folder_.path();
    options.limits.stop = stop;  // the whole process group is killed with SIGKILL
    return run_process(words, options).value();
  }
  SweepResult result_in(const std::string& output) {
    const std::string text = read_file(folder_.path() / output / "sweep.json").value();
    return from_document<SweepResult>(Json::parse(text).value(), sweep_schema_version).value();
  }
  // The digest of what the registry has under each version.
  std::map<std::string, std::string> published(const std::string& repository,
                                               const SweepResult& swept) {
    std::map<std::string, std::string> digests;
    for (const SweepCell& cell : swept.cells) {
      const std::string into = repository + "-" + cell.version;
      const ProcessEnd end =
          run_process({HONE_PROGRAM, "pull", place(repository) + ":" + cell.version, "-o",
                       (folder_.path() / into).string(), "--format", "json"})
              .value();
      EXPECT_TRUE(end.ok()) << end.standard_error;
      const auto answer = Json::parse(end.standard_output);
      const Json* digest = answer ? answer->find("digest") : nullptr;
      digests[cell.version] = digest != nullptr ? *digest->as_string() : "none";
    }
    return digests;
  }

  TemporaryFolder folder_ = TemporaryFolder::create("sweep").value();
  std::unique_ptr<RealRegistry> registry_;
};

// HONE_KILLS=20 kills more often than the minutes of a usual run allow.
int kills() {
  const char* asked = std::getenv("HONE_KILLS");
  constexpr int usual = 5;
  return asked != nullptr ? std::atoi(asked) : usual;
}

TEST_F(SweepProgram, KilledAtAnyMomentPublishesWhatAnUndisturbedOneDoes) {
  const ProcessEnd whole = sweep("whole", "undisturbed");
  ASSERT_TRUE(whole.ok()) << whole.standard_error;
  const SweepResult undisturbed = result_in("whole");
  ASSERT_EQ(undisturbed.cells.size(), 4U);
  Random random(5);
  std::vector<std::string> more = {"--continue"};
  for (int kill = 0; kill < kills(); ++kill) {
    const auto made = [this] { return count_below(folder_.path() / "killed"); };
    const std::size_t all = made() + 1 + random.below(20);
    const StopWhen enough([made, all] { return made() >= all; });
    sweep("killed", "disturbed", more, enough.stop());
  }
  const ProcessEnd end = sweep("killed", "disturbed", more);
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const SweepResult swept = result_in("killed");
  EXPECT_EQ(published("disturbed", swept), published("undisturbed", undisturbed));
  const ProcessEnd checked = run_process({HONE_PROGRAM, "store", "verify", "--store",
                                          (folder_.path() / "killed/store").string()})
                                 .value();
  EXPECT_TRUE(checked.ok()) << checked.standard_output;
}

TEST_F(SweepProgram, GoesOnWhenTheRegistryCameBack) {
  registry_->kill();
  const ProcessEnd away = sweep("out", "models");
  constexpr int refused = 5;
  EXPECT_EQ(away.exit_code, refused) << away.standard_error;
  registry_->start();
  ASSERT_TRUE(sweep("out", "models").ok());
  // From an empty folder: everything is there, nothing is built.
  const ProcessEnd again = sweep("other", "models", {"--continue"});
  ASSERT_TRUE(again.ok()) << again.standard_error;
  for (const SweepCell& cell : result_in("other").cells) {
    EXPECT_TRUE(cell.is_resumed) << cell.version;
    EXPECT_EQ(cell.attempts, 0U);
  }
}

TEST_F(SweepProgram, SendsEachBlobOnce) {
  ASSERT_TRUE(sweep("out", "models", {"--keep-local"}).ok());
  const SweepResult swept = result_in("out");
  std::map<std::string, std::uint64_t> blobs;
  std::uint64_t all = 0;
  for (const SweepCell& cell : swept.cells) {
    for (const PackageEntry& file : cell.files) {
      blobs[file.sha256] = file.bytes;
      all += file.bytes;
    }
  }
  std::uint64_t once = 0;
  for (const auto& [sha256, bytes] : blobs) once += bytes;
  EXPECT_LT(once, all);
  // Besides the files, each cell has its evidence.
  EXPECT_GE(swept.bytes_sent, once);
  EXPECT_LT(swept.bytes_sent - once, 200'000U);
}

class MeasuringSweep : public ::testing::Test {
 protected:
  SweepResult sweep(const std::string& mode) {
    const std::string model = HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
    EXPECT_TRUE(write_file(folder_.path() / "catalog.json",
                           R"({"schema_version": 1, "models": [{"id": "tiny/resnet", "model": ")" +
                               model + R"("}]})"));
    ProcessOptions options;
    options.folder = folder_.path();
    const ProcessEnd end =
        *run_process({HONE_PROGRAM, "sweep", "--catalog", "catalog.json", "-o", mode, "--mode",
                      mode, "--ep", "cpu", "-q", "--format", "json"},
                     options);
    EXPECT_TRUE(end.ok()) << end.standard_error << end.standard_output;
    return *from_document<SweepResult>(*Json::parse(end.standard_output), sweep_schema_version);
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("sweep modes");
};

TEST_F(MeasuringSweep, HasALatencyForEachCell) {
  const SweepResult result = sweep("perf");
  ASSERT_TRUE(result.cells.front().latency_ms);
  EXPECT_GT(*result.cells.front().latency_ms, 0);
}

TEST_F(MeasuringSweep, SaysHowNearTheAnswersAre) {
  const SweepResult result = sweep("eval");
  ASSERT_TRUE(result.cells.front().accuracy);
  EXPECT_NE(result.cells.front().accuracy->find("over 32 samples"), std::string::npos)
      << *result.cells.front().accuracy;
}

}  // namespace
}  // namespace hone
