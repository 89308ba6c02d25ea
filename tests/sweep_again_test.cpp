// Sweeps after something has changed: the model, its samples, the day, the folder, the disk.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/process.h"
#include "catalog/sweep_journal.h"
#include "record/sweep.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int misuse = 2;
constexpr int not_held = 3;

class SweepAgain : public ::testing::Test {
 protected:
  void SetUp() override {
    models({{"a", "resnet-cls"}});
    write("cpu.json", R"({"schema_version": 1, "targets": [
        {"label": "mlas_cpu", "target": {"ep": "cpu", "device": "cpu"}}]})");
  }

  static std::string tiny(const std::string& name) {
    return HONE_SOURCE_DIR "/tests/fixtures/tiny/" + name + "/torch-opset17.onnx";
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    ASSERT_TRUE(write_file(folder_.path() / name, text));
  }
  // `more` is put into each entry.
  void models(const std::vector<std::pair<std::string, std::string>>& ids_and_models,
              const std::string& more = "") const {
    std::string list;
    for (const auto& [id, model] : ids_and_models) {
      list += std::string(list.empty() ? "" : ", ") + R"({"id": ")" + id + R"(", "model": ")" +
              tiny(model) + "\"" + more + "}";
    }
    write("catalog.json", R"({"schema_version": 1, "models": [)" + list + "]}");
  }
  ProcessEnd run(std::vector<std::string> words) const {
    words.insert(words.begin(), HONE_PROGRAM);
    ProcessOptions options;
    options.folder = folder_.path();
    options.environment = {{"PATH", folder_.path().string() + ":/usr/bin:/bin"}};
    return run_process(words, options).value();
  }
  ProcessEnd sweep(std::vector<std::string> more) const {
    std::vector<std::string> words = {"sweep",    "--catalog", "catalog.json", "--targets",
                                      "cpu.json", "-q",        "--format",     "json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::string place() const { return "file://" + path("place"); }
  static SweepResult result_of(const ProcessEnd& end) {
    EXPECT_TRUE(Json::parse(end.standard_output)) << end.standard_output << end.standard_error;
    return from_document<SweepResult>(Json::parse(end.standard_output).value(),
                                      sweep_schema_version)
        .value();
  }
  static SweepCell first_of(const ProcessEnd& end) { return result_of(end).cells.front(); }

  TemporaryFolder folder_ = TemporaryFolder::create("sweep").value();
};

TEST_F(SweepAgain, BuildsAnotherModelThatTookTheNameOfOneThatIsPublished) {
  ASSERT_TRUE(sweep({"-o", "one", "--upload", place()}).ok());
  const SweepCell there = first_of(sweep({"-o", "two", "--upload", place(), "--continue"}));
  EXPECT_TRUE(there.is_resumed) << "the same model is there";
  models({{"a", "bert"}});
  const ProcessEnd end = sweep({"-o", "three", "--upload", place(), "--continue"});
  EXPECT_EQ(end.exit_code, not_held);
  EXPECT_EQ(first_of(end).attempts, 1U);
  EXPECT_EQ(first_of(end).upload, "failed");
  EXPECT_THAT(first_of(end).upload_error, HasSubstr("--run-stamp"));
}

TEST_F(SweepAgain, PublishesTheSamePackageFromAnotherFolder) {
  const SweepCell one = first_of(sweep({"-o", "one", "--upload", place()}));
  write("elsewhere/torch-opset17.onnx", read_file(tiny("resnet-cls")).value());
  write("elsewhere/catalog.json", R"({"schema_version": 1, "models": [
      {"id": "a", "model": "torch-opset17.onnx", "priority": "P0"}]})");
  const ProcessEnd again =
      run({"sweep", "--catalog", "elsewhere/catalog.json", "--targets", "cpu.json", "-o", "two",
           "-q", "--format", "json", "--upload", place()});
  ASSERT_TRUE(again.ok()) << again.standard_error;
  EXPECT_EQ(first_of(again).key, one.key);
  EXPECT_EQ(first_of(again).digest, one.digest);
}

TEST_F(SweepAgain, RefusesIdsThatWouldShareAName) {
  models({{"org/net", "resnet-cls"}, {"org-net", "bert"}});
  const ProcessEnd end = sweep({"-o", "out"});
  EXPECT_EQ(end.exit_code, misuse);
  EXPECT_THAT(end.standard_output, HasSubstr("'org/net' and 'org-net'"));
}

TEST_F(SweepAgain, KeepsModelsApartWhoseNamesAreInAnotherScript) {
  models({{"\u6a21\u578b\u4e00", "resnet-cls"}, {"\u6a21\u578b\u4e8c", "bert"}});
  const ProcessEnd end = sweep({"-o", "out", "-j", "2", "--upload", place()});
  ASSERT_TRUE(end.ok()) << end.standard_error;
  for (const SweepCell& cell : result_of(end).cells) {
    const ProcessEnd checked = run({"verify", *cell.reference, "-q"});
    EXPECT_TRUE(checked.ok()) << checked.standard_output << checked.standard_error;
  }
}

TEST_F(SweepAgain, LeavesNothingOfTheOldBuildInTheNewOne) {
  models({{"a", "resnet-cls"}}, R"(, "precision": "w8a8")");
  ASSERT_TRUE(sweep({"-o", "out"}).ok());
  models({{"a", "resnet-cls"}}, R"(, "precision": "fp32")");
  const ProcessEnd end = sweep({"-o", "out", "--continue"});
  ASSERT_TRUE(end.ok()) << end.standard_error;
  for (const PackageEntry& file : first_of(end).files)
    EXPECT_THAT(file.path, Not(HasSubstr("quantize")));
}

TEST_F(SweepAgain, NoticesThatAFileOfTheRecipeChanged) {
  write("overrides.json", R"({"schema_version": 1, "tensors": {}})");
  const std::string more = R"(, "precision": "w8a8", "overrides": {"quantize": {"overrides": ")" +
                           path("overrides.json") + R"("}})";
  models({{"a", "resnet-cls"}}, more);
  const std::string key = first_of(sweep({"-o", "out"})).key;
  EXPECT_EQ(first_of(sweep({"-o", "out", "--continue"})).key, key);
  write("overrides.json", "{\"schema_version\": 1, \"tensors\": {} }");
  EXPECT_NE(first_of(sweep({"-o", "out", "--continue"})).key, key);
}

TEST_F(SweepAgain, KeepsItsRunStampOnAnotherDay) {
  ASSERT_TRUE(sweep({"-o", "out", "--run-stamp", "20200101"}).ok());
  const ProcessEnd end = sweep({"-o", "out", "--continue"});
  EXPECT_EQ(result_of(end).run_stamp, "20200101");
  EXPECT_TRUE(first_of(end).is_resumed);
}

TEST_F(SweepAgain, HoldsItsOwnCellsInAStoreThatSeveralShare) {
  ASSERT_TRUE(sweep({"-o", "one", "--store", "store"}).ok());
  models({{"a", "bert"}});
  ASSERT_TRUE(sweep({"-o", "two", "--store", "store", "--upload", place()}).ok());
  ASSERT_TRUE(run({"store", "gc", "--store", "store", "--grace", "0", "-q"}).ok());
  models({{"a", "resnet-cls"}});
  EXPECT_TRUE(first_of(sweep({"-o", "one", "--store", "store", "--continue"})).is_resumed)
      << "the other sweep let go of what was never published";
}

TEST_F(SweepAgain, DoesNotBeginAnewUnderASweepThatRuns) {
  ASSERT_TRUE(sweep({"-o", "out"}).ok());
  const auto running = SweepJournal::open(folder_.path() / "out" / "journal.db");
  ASSERT_TRUE(running);
  const ProcessEnd end = sweep({"-o", "out", "--overwrite"});
  EXPECT_FALSE(end.ok());
  EXPECT_THAT(end.standard_output, HasSubstr("another sweep uses it"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "out" / "cells" / "a" / "mlas_cpu"));
  EXPECT_EQ(sweep({"-o", "out", "--overwrite", "--continue"}).exit_code, misuse);
}

TEST_F(SweepAgain, StaysWithinTheDiskItMayUse) {
  models({{"a", "resnet-cls"}, {"b", "bert"}, {"c", "resnet-cls"}});
  const ProcessEnd end = sweep({"-o", "out", "--upload", place(), "--max-disk", "600K"});
  ASSERT_TRUE(end.ok()) << end.standard_error << end.standard_output;
  EXPECT_LE(result_of(end).disk_bytes, 600U << 10);
  const ProcessEnd full = sweep({"-o", "full", "--max-disk", "100K"});
  EXPECT_EQ(full.exit_code, not_held);
  EXPECT_EQ(result_of(full).cells.back().failure->kind, FailureClass::disk_full);
}

TEST_F(SweepAgain, FailsACellThatIsNotPlacedAsAsked) {
  const ProcessEnd end = run({"sweep", "--catalog", "catalog.json", "-o", "out", "--mode", "perf",
                              "--ep", "sim", "--device", "npu", "--ep-options", "deny=Conv",
                              "--require-placement", "95%", "-q", "--format", "json"});
  EXPECT_EQ(end.exit_code, not_held);
  EXPECT_EQ(first_of(end).failure->kind, FailureClass::placement) << end.standard_output;
  EXPECT_EQ(sweep({"-o", "other", "--require-placement", "95%"}).exit_code, misuse);
}

// The program of Azure, as far as publishing asks it.
TEST_F(SweepAgain, PublishesThroughAz) {
  write("az", R"sh(#!/bin/sh
feed=$(dirname "$0")/feed
case "$1 $2" in 'extension show'|'account show') exit 0;; esac
verb=$3
while [ $# -gt 0 ]; do
  case "$1" in --version) version=$2;; --path) path=$2;; --file-filter) filter=$2;; esac
  shift
done
if [ "$verb" = publish ]; then mkdir -p "$feed"; cp -r "$path" "$feed/$version"; exit; fi
cp "$feed/$version/$filter" "$path/$filter"
)sh");
  std::filesystem::permissions(folder_.path() / "az", std::filesystem::perms::owner_all);
  const ProcessEnd end = sweep({"-o", "out", "--upload", "az://org/project/feed"});
  ASSERT_TRUE(end.ok()) << end.standard_error << end.standard_output;
  EXPECT_TRUE(first_of(end).is_confirmed);
}

}  // namespace
}  // namespace hone
