// Builds as a person runs them: whole processes, killed at any moment and run again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/process.h"
#include "base/stopped_for_tests.h"
#include "record/build.h"

namespace hone {
namespace {

class BuildFolder : public testing::Test {
 protected:
  ProcessEnd run_build(const std::string& output, const std::string& cache,
                       const std::atomic<bool>* stop = nullptr) {
    ProcessOptions options;
    options.environment = {{"HONE_CACHE", (folder.path() / cache).string()}};
    options.limits.stop = stop;  // the whole process group is killed with SIGKILL
    std::vector<std::string> words = {
        HONE_PROGRAM, "build", model,       "-o", (folder.path() / output).string(),
        "--ep",       "sim",   "--samples", "4",  "--enable",
        "gelu-fusion"};
    words.insert(words.end(), extra.begin(), extra.end());
    return run_process(words, options).value();
  }
  // Killed once it has made so many more files and folders.
  ProcessEnd run_build_until(std::size_t more, const std::string& output,
                             const std::string& cache) {
    const auto made = [this, output, cache] {
      return count_below(folder.path() / output) + count_below(folder.path() / cache);
    };
    const StopWhen enough([made, all = made() + more] { return made() >= all; });
    return run_build(output, cache, enough.stop());
  }
  std::string hash_in(const std::string& output) {
    return sha256(read_file(folder.path() / output / "model.onnx").value()).hex();
  }
  BuildReceipt receipt_in(const std::string& output) {
    const std::string text = read_file(folder.path() / output / "receipt.json").value();
    return from_document<BuildReceipt>(Json::parse(text).value(), build_schema_version).value();
  }

  std::vector<std::string> extra;
  TemporaryFolder folder = TemporaryFolder::create("build").value();
  const std::string model = HONE_SOURCE_DIR "/tests/fixtures/tiny/bert-cls/torch-opset17.onnx";
};

TEST_F(BuildFolder, HoldsTheModelAndAReceiptOfEveryStage) {
  const ProcessEnd end = run_build("out", "cache");
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const BuildReceipt receipt = receipt_in("out");
  ASSERT_EQ(receipt.final_artifact, "model.onnx");
  std::string input = receipt.model_sha256;
  for (const StageReceipt& stage : receipt.stages) {
    if (stage.status == StageStatus::skipped) continue;
    EXPECT_EQ(stage.status, StageStatus::done) << stage.name;
    EXPECT_EQ(stage.input, input) << stage.name << " begins with what the one before made";
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / *stage.artifact)) << stage.name;
    EXPECT_FALSE(stage.effect.is_null()) << stage.name;
    input = *stage.output;
  }
  EXPECT_EQ(receipt.final_sha256, input);
  EXPECT_FALSE(receipt.notes.empty()) << "why the recipe is as it is";
}

TEST_F(BuildFolder, TakesStagesFromTheCacheTheSecondTime) {
  ASSERT_TRUE(run_build("one", "cache").ok());
  ASSERT_TRUE(run_build("two", "cache").ok());
  for (const StageReceipt& stage : receipt_in("two").stages) {
    EXPECT_NE(stage.status, StageStatus::done) << stage.name;
  }
  EXPECT_EQ(hash_in("one"), hash_in("two"));
}

TEST_F(BuildFolder, KnowsFilesByTheirContentAndNotByTheirName) {
  const Path overrides = folder.path() / "overrides.json";
  extra = {"--overrides", overrides.string()};
  ASSERT_TRUE(write_file(overrides, R"({"float_nodes": ["Gemm"]})"));
  ASSERT_TRUE(run_build("one", "cache").ok());
  ASSERT_TRUE(write_file(overrides, R"({"float_nodes": ["Add"]})"));
  ASSERT_TRUE(run_build("two", "cache").ok());
  EXPECT_NE(receipt_in("one").stages.at(2).output, receipt_in("two").stages.at(2).output);
}

TEST_F(BuildFolder, HasTheSameBytesWhenBuiltAnewElsewhere) {
  ASSERT_TRUE(run_build("one", "first").ok());
  ASSERT_TRUE(run_build("a/much/deeper/two", "second").ok());
  EXPECT_EQ(hash_in("one"), hash_in("a/much/deeper/two"));
}

TEST_F(BuildFolder, IsMadeAgainByItsOwnRecipe) {
  const ProcessEnd first = run_build("one", "first");
  ASSERT_TRUE(first.ok()) << first.standard_error;
  const ProcessEnd again =
      run_process({HONE_PROGRAM, "build", model, "-c", (folder.path() / "one/recipe.json").string(),
                   "-o", (folder.path() / "two").string(), "--use-cache", "off"},
                  {})
          .value();
  ASSERT_TRUE(again.ok()) << again.standard_error;
  EXPECT_EQ(hash_in("one"), hash_in("two"));
}

// The rounds of the stage `optimize` in a build for the CPU.
std::vector<OptimizeRound> rounds_of(const BuildReceipt& receipt) {
  const auto stage = std::ranges::find(receipt.stages, "optimize", &StageReceipt::name);
  return from_json<std::vector<OptimizeRound>>(*stage->effect.find("rounds")).value();
}

TEST_F(BuildFolder, AddsWhatAnalyzingSuggestsUntilNothingIsNew) {
  const auto build_with = [&](const std::string& output, std::vector<std::string> more) {
    std::vector<std::string> words = {
        HONE_PROGRAM,  "build", model, "-o", (folder.path() / output).string(),
        "--use-cache", "off"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessEnd end = run_process(words, {}).value();
    EXPECT_TRUE(end.ok()) << end.standard_error;
    return rounds_of(receipt_in(output));
  };
  const auto rounds = build_with("suggested", {});
  ASSERT_GE(rounds.size(), 2u);
  EXPECT_THAT(rounds.front().added, testing::Contains("attention_fusion"));
  EXPECT_LT(rounds.back().nodes, rounds.front().nodes);
  const auto without = build_with("without", {"--disable", "attention-fusion"});
  for (const OptimizeRound& round : without) {
    EXPECT_THAT(round.added, testing::Not(testing::Contains("attention_fusion")));
  }
  EXPECT_TRUE(build_with("asked", {"--optimize-rounds", "0"}).empty());
}

TEST_F(BuildFolder, IsNotMadeWhereQuantizingLeavesTooLittle) {
  extra = {"--min-sqnr", "200", "--format", "json"};
  const ProcessEnd end = run_build("out", "cache");
  EXPECT_EQ(end.exit_code, 3) << "a check that did not hold";
  const Json document = Json::parse(end.standard_output).value();
  const Json& error = *document.find("error");
  EXPECT_EQ(*error.find("fault"), Json("not_held"));
  EXPECT_THAT(*error.find("cause")->as_string(), testing::HasSubstr("below the floor of 200.0 dB"));
  EXPECT_THAT(*error.find("cause")->as_string(), testing::HasSubstr("tried: "));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out/model.onnx"));
  EXPECT_EQ(receipt_in("out").stages.at(2).status, StageStatus::failed);
  extra = {"--min-sqnr", "200", "--allow-loss", "--overwrite"};
  ASSERT_TRUE(run_build("out", "cache").ok());
  EXPECT_TRUE(receipt_in("out").oldest_ort);
}

TEST_F(BuildFolder, KeepsNoStageOfAnOlderBuild) {
  ASSERT_TRUE(run_build("out", "cache").ok());
  const Path stages = folder.path() / "out/stages";
  ASSERT_TRUE(std::filesystem::exists(stages / "2-optimize/model.onnx"));
  ASSERT_TRUE(write_file(stages / "1-normalize/weights.bin", "of another time"));
  extra = {"--no-optimize", "--overwrite"};
  const ProcessEnd end = run_build("out", "cache");
  ASSERT_TRUE(end.ok()) << end.standard_error;
  EXPECT_FALSE(std::filesystem::exists(stages / "2-optimize"));
  EXPECT_FALSE(std::filesystem::exists(stages / "1-normalize/weights.bin"));
  EXPECT_TRUE(std::filesystem::exists(stages / "1-normalize/model.onnx"));
}

TEST_F(BuildFolder, IsNotTheOneWhoseModelIsBuilt) {
  const Path own = folder.path() / "own/model.onnx";
  std::filesystem::create_directory(own.parent_path());
  std::filesystem::copy(model, own);
  const ProcessEnd end = run_process({HONE_PROGRAM, "build", own.string(), "-o",
                                      own.parent_path().string(), "--overwrite"})
                             .value();
  EXPECT_EQ(end.exit_code, 2) << end.standard_error;
  EXPECT_THAT(end.standard_error, testing::HasSubstr("would be replaced by its own build"));
  EXPECT_EQ(read_file(own).value(), read_file(model).value());
}

TEST_F(BuildFolder, KeepsNoDataOfAnOlderBuild) {
  ASSERT_TRUE(run_build("out", "cache").ok());
  const std::string built = (folder.path() / "out/model.onnx").string();
  ASSERT_TRUE(run_process({HONE_PROGRAM, "convert", model, "--opset", "17", "--external-data",
                           "model.onnx.data", "-o", built, "--overwrite"})
                  ->ok());
  ASSERT_TRUE(std::filesystem::exists(folder.path() / "out/model.onnx.data"));
  ASSERT_TRUE(run_build("out", "cache").ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out/model.onnx.data"));
}

TEST_F(BuildFolder, KilledAtAnyMomentEndsWithTheSameBytesAfterAll) {
  const ProcessEnd whole = run_build("undisturbed", "other-cache");
  ASSERT_TRUE(whole.ok()) << whole.standard_error;
  int killed = 0;
  // From the first file on, and each time a little later.
  for (std::size_t more = 1; more <= 9; more += 2)
    killed += run_build_until(more, "disturbed", "cache").stopped ? 1 : 0;
  EXPECT_GT(killed, 0);
  const ProcessEnd last = run_build("disturbed", "cache");
  ASSERT_TRUE(last.ok()) << last.standard_error;
  EXPECT_EQ(hash_in("disturbed"), hash_in("undisturbed"));
  EXPECT_EQ(receipt_in("disturbed").final_sha256, receipt_in("undisturbed").final_sha256);
}

TEST_F(BuildFolder, TwoAtOnceDoNotDisturbEachOther) {
  std::thread other([&] { EXPECT_TRUE(run_build("left", "cache").ok()); });
  EXPECT_TRUE(run_build("right", "cache").ok());
  other.join();
  EXPECT_EQ(hash_in("left"), hash_in("right"));
}

}  // namespace
}  // namespace hone
