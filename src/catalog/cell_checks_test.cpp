#include "catalog/cell_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "catalog/package_version.h"
#include "pipeline/build.h"
#include "pipeline/policy.h"

namespace hone {
namespace {

using ::testing::HasSubstr;

const Path tiny = HONE_SOURCE_DIR "/tests/fixtures/tiny/";

// A cell of two stages, as a build leaves it, with evidence that is true. A test changes one thing.
class Cells : public ::testing::Test {
 protected:
  void SetUp() override {
    put("stages/1-normalize/model.onnx", tiny / "bert/torch-opset17.onnx");
    put("stages/2-optimize/model.onnx", tiny / "bert/torch-opset21.onnx");
    put("model.onnx", tiny / "bert/torch-opset21.onnx");
    const std::string recipe = to_document(evidence_.recipe, recipe_schema_version).dump();
    ASSERT_TRUE(write_file(folder_.path() / "recipe.json", recipe));
    list("recipe.json");
    package_.folder = folder_.path().string();
    evidence_.version = "0.0.0-one-cpu-bert";
    evidence_.model = "bert";
    evidence_.target.label = "cpu";
    evidence_.files = package_.files;
    evidence_.recipe_sha256 = hash_of(evidence_.recipe);
    BuildReceipt& receipt = evidence_.receipt;
    receipt.model_sha256 = std::string(64, 'a');
    receipt.recipe = evidence_.recipe;
    receipt.recipe_sha256 = evidence_.recipe_sha256;
    add_stage("normalize", receipt.model_sha256, "stages/1-normalize/model.onnx");
    add_stage("optimize", *receipt.stages.back().output, "stages/2-optimize/model.onnx");
    receipt.final_artifact = "model.onnx";
    receipt.final_sha256 = receipt.stages.back().output;
    evidence_.receipt_sha256 = hash_of(receipt);
  }
  void put(const std::string& path, const Path& from) {
    std::filesystem::create_directories((folder_.path() / path).parent_path());
    std::filesystem::copy_file(from, folder_.path() / path,
                               std::filesystem::copy_options::overwrite_existing);
    list(path);
  }
  void list(const std::string& path) {
    const std::string bytes = *read_file(folder_.path() / path);
    package_.files.push_back({path, sha256(bytes).hex(), bytes.size()});
  }
  void add_stage(const std::string& name, const std::string& input, const std::string& artifact) {
    StageReceipt stage;
    stage.name = name;
    stage.status = StageStatus::done;
    stage.input = input;
    stage.output = *hash_of_model_files(folder_.path() / artifact);
    stage.artifact = artifact;
    evidence_.receipt.stages.push_back(std::move(stage));
  }
  VerifyCheck check(const std::string& name, const std::string& asked = "0.0.0-one-cpu-bert") {
    for (VerifyCheck& found : check_cell(evidence_, package_, asked))
      if (found.name == name) return std::move(found);
    return {name, CheckVerdict::blocked, "there is no such check"};
  }
  // The receipt says what a test made it say, and its hash agrees.
  std::string receipt_refusal() {
    evidence_.receipt_sha256 = hash_of(evidence_.receipt);
    const VerifyCheck found = check("receipt");
    return found.verdict == CheckVerdict::fail ? found.measured : "";
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("cell");
  CellEvidence evidence_;
  Fetched package_;
};

TEST_F(Cells, AsTheyWereBuiltPass) {
  for (const VerifyCheck& found : check_cell(evidence_, package_, evidence_.version))
    EXPECT_EQ(found.verdict, CheckVerdict::pass) << found.name << ": " << found.measured;
}

TEST_F(Cells, HaveEvidenceThatSurvivesItsOwnJson) {
  const Json document = to_document(evidence_, evidence_schema_version);
  const auto again =
      from_document<CellEvidence>(Json::parse(document.dump()).value(), evidence_schema_version);
  ASSERT_TRUE(again) << again.error().what;
  evidence_ = *again;
  EXPECT_EQ(check("receipt").verdict, CheckVerdict::pass) << check("receipt").measured;
}

TEST_F(Cells, AreToldFromAnotherCell) {
  EXPECT_EQ(check("version", "0.0.0-one-npu-bert").verdict, CheckVerdict::fail);
  EXPECT_EQ(check("version", "sha256:" + std::string(64, '1')).verdict, CheckVerdict::pass);
}

TEST_F(Cells, ArePublishedForTheTargetOfTheirRecipe) {
  evidence_.recipe.target = {.ep = "qnn", .device = "npu", .options = {}};
  EXPECT_THAT(check("target").measured, HasSubstr("published for cpu/auto, and its recipe is for "
                                                  "qnn/npu"));
  evidence_.target.target = {.ep = "QNNExecutionProvider", .device = "npu", .options = {}};
  EXPECT_EQ(check("target").verdict, CheckVerdict::pass) << check("target").measured;
}

TEST_F(Cells, HaveALabelThatIsInTheirVersionAndMeansTheirTarget) {
  evidence_.target.label = "npu";
  EXPECT_THAT(check("target").measured, HasSubstr("is not the version of bert for npu"));
  evidence_.version = "0.0.0-one-mlas-cpu-bert";
  evidence_.target.label = "mlas_cpu";
  EXPECT_EQ(check("target").verdict, CheckVerdict::pass) << check("target").measured;
  evidence_.target.target = {.ep = "qnn", .device = "npu", .options = {}};
  evidence_.recipe.target = evidence_.target.target;
  EXPECT_THAT(check("target").measured, HasSubstr("'mlas_cpu' is that of cpu/cpu, not of qnn/npu"));
}

TEST_F(Cells, HaveAVersionHoweverLongItsNames) {
  evidence_.model = std::string(100, 'm') + "/" + std::string(100, 'n');
  evidence_.task = "image-classification";
  evidence_.version = version_of({.run_stamp = "2026-06-09 b",
                                  .label = evidence_.target.label,
                                  .model = evidence_.model,
                                  .task = evidence_.task});
  EXPECT_EQ(check("target", evidence_.version).verdict, CheckVerdict::pass);
  evidence_.task = "another";
  EXPECT_EQ(check("target", evidence_.version).verdict, CheckVerdict::fail);
}

TEST_F(Cells, HaveTheFilesOfTheirEvidenceAndNoOthers) {
  evidence_.files.front().sha256 = std::string(64, '0');
  EXPECT_THAT(check("files").measured, HasSubstr("stages/1-normalize/model.onnx"));
  evidence_.files = package_.files;
  evidence_.files.pop_back();
  EXPECT_EQ(check("files").verdict, CheckVerdict::fail);
  evidence_.files.clear();
  EXPECT_EQ(check("files").verdict, CheckVerdict::fail);
}

TEST_F(Cells, HaveTheRecipeOfTheirEvidence) {
  evidence_.recipe_sha256 = std::string(64, '0');
  EXPECT_THAT(check("recipe").measured, HasSubstr("instead of 000000000000"));
  evidence_.recipe_sha256 = hash_of(evidence_.recipe);
  evidence_.receipt.recipe.skips_optimize = true;
  EXPECT_THAT(check("recipe").measured, HasSubstr("the receipt is of another recipe"));
  evidence_.receipt.recipe = evidence_.recipe;
  ASSERT_TRUE(write_file(folder_.path() / "recipe.json", "{}"));
  EXPECT_EQ(check("recipe").verdict, CheckVerdict::fail);
  Recipe other;
  other.opset = 18;
  ASSERT_TRUE(
      write_file(folder_.path() / "recipe.json", to_document(other, recipe_schema_version).dump()));
  EXPECT_THAT(check("recipe").measured, HasSubstr("recipe.json has the hash"));
}

TEST_F(Cells, HaveTheReceiptOfTheirEvidence) {
  evidence_.receipt.tool_version = "another";
  EXPECT_THAT(check("receipt").measured, HasSubstr("not the one the evidence was made with"));
}

TEST_F(Cells, HaveStagesThatFollowOneAnother) {
  evidence_.receipt.stages[1].input = std::string(64, '0');
  EXPECT_THAT(receipt_refusal(), HasSubstr("optimize began with other bytes"));
}

TEST_F(Cells, HaveTheBytesThatTheirStagesLeft) {
  evidence_.receipt.stages[0].output = std::string(64, '0');
  EXPECT_THAT(receipt_refusal(), HasSubstr("is not what the stage normalize left"));
  evidence_.receipt.stages[0].artifact = "../../etc/passwd";
  EXPECT_THAT(receipt_refusal(), HasSubstr("is not in the package"));
  evidence_.receipt.stages[0].artifact.reset();
  EXPECT_THAT(receipt_refusal(), HasSubstr("has no hashes"));
  evidence_.receipt.stages[0].status = StageStatus::failed;
  EXPECT_THAT(receipt_refusal(), HasSubstr("the stage normalize failed"));
}

TEST_F(Cells, HaveAModelThatIsWhatWasBuilt) {
  std::filesystem::copy_file(tiny / "bert/torch-opset17.onnx", folder_.path() / "model.onnx",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(check("receipt").measured, HasSubstr("'model.onnx' is not what was built"));
  ASSERT_TRUE(write_file(folder_.path() / "model.onnx", "no model"));
  EXPECT_EQ(check("receipt").verdict, CheckVerdict::fail);
  evidence_.receipt.final_sha256.reset();
  EXPECT_THAT(receipt_refusal(), HasSubstr("did not end with its last stage"));
}

TEST_F(Cells, HaveAModelThatIsWhatWasBuiltWhateverTheReceiptEndsWith) {
  std::filesystem::copy_file(tiny / "bert/torch-opset17.onnx", folder_.path() / "model.onnx",
                             std::filesystem::copy_options::overwrite_existing);
  evidence_.receipt.final_artifact = "stages/2-optimize/model.onnx";
  EXPECT_THAT(receipt_refusal(), HasSubstr("ended with 'stages/2-optimize/model.onnx' instead of "
                                           "'model.onnx'"));
}

TEST_F(Cells, HaveNoStagesThatTheirReceiptDoesNotKnow) {
  put("stages/3-quantize/model.onnx", tiny / "bert/torch-opset17.onnx");
  EXPECT_THAT(receipt_refusal(), HasSubstr("'stages/3-quantize/model.onnx' is of no stage"));
  StageReceipt skipped;
  skipped.name = "quantize";
  skipped.artifact = "stages/3-quantize/model.onnx";
  evidence_.receipt.stages.push_back(skipped);
  EXPECT_THAT(receipt_refusal(), HasSubstr("'stages/3-quantize/model.onnx' is of no stage"));
}

TEST_F(Cells, HaveNoFilesBesideAStageThatItDidNotLeave) {
  put("stages/2-optimize/weights.bin", tiny / "bert/torch-opset17.onnx");
  EXPECT_THAT(receipt_refusal(), HasSubstr("'stages/2-optimize/weights.bin' is of no stage"));
}

TEST_F(Cells, HaveAChampionThatWasMeasured) {
  put("champion/model.onnx", tiny / "bert/torch-opset17.onnx");
  EXPECT_THAT(check("champion").measured, HasSubstr("the evidence has no search"));
  SearchResult search;
  search.champion = "c";
  SearchArm arm;
  arm.hypothesis.id = "c";
  arm.built = BuiltModel{};
  arm.built->sha256 = *hash_of_model_files(folder_.path() / "champion/model.onnx");
  search.arms.push_back(arm);
  evidence_.result = Json::object().set("search", to_document(search, search_schema_version));
  EXPECT_EQ(check("champion").verdict, CheckVerdict::pass) << check("champion").measured;
  search.arms[0].built->sha256 = std::string(64, '0');
  evidence_.result = Json::object().set("search", to_document(search, search_schema_version));
  EXPECT_THAT(check("champion").measured, HasSubstr("is not what was measured"));
}

}  // namespace
}  // namespace hone
