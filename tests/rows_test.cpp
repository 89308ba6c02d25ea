// Flows that are judged on rows of a task, as a person runs them: a tiny classifier of texts, its
// tokenizer and the names of its classes beside it, and a file of rows of which one is broken.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "base/random.h"
#include "record/fix.h"
#include "record/search.h"
#include "record/sweep.h"

namespace hone {
namespace {

using testing::HasSubstr;

class OnRows : public testing::Test {
 protected:
  void SetUp() override {
    const Path fixtures = HONE_SOURCE_DIR "/tests/fixtures";
    std::filesystem::create_directory(folder_.path() / "model");
    for (const auto& [from, to] : {std::pair{"tiny/bert-cls/torch-opset17.onnx", "model.onnx"},
                                   std::pair{"eval/tokenizer.json", "tokenizer.json"},
                                   std::pair{"hf/tiny-bert-cls/config.json", "config.json"}})
      std::filesystem::copy_file(fixtures / from, folder_.path() / "model" / to);
    std::string rows = "no row\n";
    Random random(1);
    for (int i = 0; i < 300; ++i) rows += row_of(random).dump(-1) + "\n";
    ASSERT_TRUE(write_file(folder_.path() / "rows.jsonl", rows));
  }

  static Json row_of(Random& random) {
    constexpr auto words = std::to_array<const char*>({"the", "film", "was", "good", "bad", "is"});
    std::string text;
    for (std::uint64_t left = 3 + random.below(20); left > 0; --left)
      text += std::string(words[random.below(words.size())]) + " ";
    return Json::object()
        .set("text", text)
        .set("label", "LABEL_" + std::to_string(random.below(3)));
  }

  ProcessEnd run(std::vector<std::string> words) const {
    words.insert(words.begin(), HONE_PROGRAM);
    ProcessOptions options;
    options.folder = folder_.path();
    options.environment = {{"HONE_CACHE", (folder_.path() / "cache").string()},
                           {"XDG_DATA_HOME", folder_.path().string()}};
    return run_process(words, options).value();
  }
  template <class Record>
  Record record_in(const std::string& name, std::int64_t version) const {
    const std::string text = read_file(folder_.path() / name).value();
    return from_document<Record>(Json::parse(text).value(), version).value();
  }

  TemporaryFolder folder_ = TemporaryFolder::create("rows").value();
};

// Each Erf is computed elsewhere and takes the device apart; where Gelu is one operator, it is not.
TEST_F(OnRows, ASearchLetsThroughWhatIsAsGoodAtItsTask) {
  const ProcessEnd end = run({"autoconfig",
                              "model",
                              "-o",
                              "out",
                              "--ep",
                              "sim",
                              "--device",
                              "npu",
                              "--ep-options",
                              "deny=Erf",
                              "--ep-options",
                              "latency_us=300",
                              "--task",
                              "text-classification",
                              "--data",
                              "rows.jsonl",
                              "--max-drop",
                              "0.02",
                              "--only-hypotheses",
                              "gelu-fusion",
                              "--no-trace",
                              "-q"});
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const auto result = record_in<SearchResult>("out/search.json", search_schema_version);
  EXPECT_EQ(result.champion, "gelu-fusion");
  ASSERT_EQ(result.arms.size(), 2U);
  ASSERT_TRUE(result.arms[1].accuracy);
  EXPECT_EQ(result.arms[1].accuracy->verdict, CheckVerdict::pass);
  EXPECT_EQ(result.arms[1].accuracy->samples, 300U);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "out/report.html"));
}

TEST_F(OnRows, AFixCalibratesAndJudgesOnThemAndSaysSo) {
  const std::vector<std::string> words = {"debug",     "--float-model", "model/model.onnx",
                                          "--fix",     "--metric",      "text-classification",
                                          "--data",    "rows.jsonl",    "--overrides-out",
                                          "fix.json",  "--no-cost",     "--overwrite",
                                          "--journal", "journal.json",  "--format",
                                          "json"};
  const ProcessEnd end = run(words);
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const auto result =
      from_document<FixResult>(Json::parse(end.standard_output).value(), fix_schema_version)
          .value();
  EXPECT_EQ(result.score_name, "text-classification");
  EXPECT_TRUE(result.is_reached);
  EXPECT_TRUE(result.held_out);
  EXPECT_THAT(end.standard_error, HasSubstr("calibrated on the first 32 samples of 'rows.jsonl'"));
  // Calibration samples lie in another folder each time: the journal knows them by what they are.
  const ProcessEnd again = run(words);
  EXPECT_GT(from_document<FixResult>(Json::parse(again.standard_output).value(), fix_schema_version)
                .value()
                .trials_known,
            0U);
}

class SweptOnRows : public OnRows {
 protected:
  SweepCell cell_of(const std::string& mode, const std::vector<std::string>& more) {
    EXPECT_TRUE(write_file(folder_.path() / "catalog.json",
                           R"({"schema_version": 1, "models": [{"id": "tiny/bert-cls",
        "model": "model/model.onnx", "task": "text-classification", "data": "rows.jsonl"}]})"));
    EXPECT_TRUE(write_file(folder_.path() / "targets.json", R"({"schema_version": 1, "targets": [
        {"label": "npu", "target": {"ep": "sim", "device": "npu",
                                    "options": {"deny": "Erf", "latency_us": "300"}}}]})"));
    std::vector<std::string> words = {"sweep",        "--catalog",   "catalog.json", "--targets",
                                      "targets.json", "--mode",      mode,           "-o",
                                      "swept",        "--run-stamp", "one",          "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessEnd end = run(words);
    EXPECT_TRUE(end.ok()) << end.standard_output << end.standard_error;
    return record_in<SweepResult>("swept/sweep.json", sweep_schema_version).cells.at(0);
  }
};

TEST_F(SweptOnRows, ACellIsJudgedAtItsTask) {
  const SweepCell cell = cell_of("eval", {"--max-drop", "0.02"});
  EXPECT_THAT(cell.accuracy.value_or(""), HasSubstr("accuracy 0."));
  EXPECT_THAT(cell.accuracy.value_or(""), HasSubstr("reference 0."));
}

// The champion's time stood beside the baseline's in one answer, which then was none. On a machine
// so busy that nothing is confirmed in time there is no champion.
TEST_F(SweptOnRows, ACellIsSearchedAndItsChampionTold) {
  const SweepCell cell = cell_of("autoconfig", {"--max-drop", "0.02", "--timeout", "40"});
  EXPECT_EQ(cell.status, CellStatus::done);
  EXPECT_TRUE(cell.latency_ms);
  EXPECT_EQ(cell.accuracy.value_or("pass"), "pass");
}

}  // namespace
}  // namespace hone
