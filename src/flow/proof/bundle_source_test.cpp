#include "flow/proof/bundle_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "flow/hydrate.h"
#include "flow/proof/worker_for_tests.h"
#include "pipeline/build.h"
#include "record/model_facts.h"
#include "support/bundle.h"

namespace hone {
namespace {

class ASource : public testing::Test {
 protected:
  ASource() {
    std::filesystem::create_directories(search_.bundle / bundle_source_folder);
    source_.file = "reader.onnx";
  }
  static Path model() {
    return HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
  }
  void put(const Path& path, const std::string& text) { ASSERT_TRUE(write_file(path, text)); }

  TemporaryFolder folder_ = TemporaryFolder::create("source").value();
  SourceSearch search_{.bundle = folder_.path() / "bundle",
                       .folders = {folder_.path().string()},
                       .work = folder_.path() / "work",
                       .host = {}};
  ModelSource source_;
};

TEST_F(ASource, IsFoundByItsBytesAndNotByItsName) {
  std::filesystem::copy_file(model(), folder_.path() / "reader.onnx");
  source_.sha256 = *hash_of_model_files(folder_.path() / "reader.onnx");
  const auto found = find_source(source_, search_);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(*found, folder_.path() / "reader.onnx");
  source_.sha256 = std::string(64, 'a');
  const auto other = find_source(source_, search_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().fault, Fault::not_found);
  EXPECT_EQ(other.error().what, "the model 'reader.onnx' is not at hand");
}

TEST_F(ASource, IsNotLookedForOutsideOfTheFoldersThatWereNamed) {
  source_.file = "../reader.onnx";
  EXPECT_FALSE(find_source(source_, search_));
}

TEST_F(ASource, IsNotMadeFromAnotherSkeleton) {
  const Path skeleton = search_.bundle / bundle_source_folder / "reader.onnx";
  put(skeleton, "another");
  put(statistics_of(skeleton), "{}");
  source_.skeleton = sha256("the skeleton").hex();
  source_.statistics = sha256("{}").hex();
  const auto found = find_source(source_, search_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "'reader.onnx' is another file than the recipe's");
}

TEST_F(ASource, IsHydratedByTheSeedOfTheRecipeAndHeldToItsBytes) {
  const Path skeleton = search_.bundle / bundle_source_folder / "reader.onnx";
  put(skeleton, "the skeleton");
  put(statistics_of(skeleton), "{}");
  source_.skeleton = sha256("the skeleton").hex();
  source_.statistics = sha256("{}").hex();
  source_.seed = (std::uint64_t{1} << 53) + 1;  // no double has it
  source_.sha256 = std::string(64, 'a');
  std::filesystem::create_directories(search_.work / "source");
  std::filesystem::copy_file(model(), search_.work / "source/reader.onnx");
  const WorkerOfATest worker({answered(HydratedModel{})});
  search_.host.program = worker.program().string();
  const auto found = find_source(source_, search_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "the skeleton does not become the model of the recipe");
  EXPECT_EQ(from_json<HydrateOrder>(worker.asked(0))->seed, source_.seed);
}

TEST_F(ASource, ThatSomebodyNamesIsKnownByItsBytes) {
  const WorkerOfATest worker({answered(ModelFacts{})});
  Host host;
  host.program = worker.program().string();
  const auto found = take_source(model(), 7, search_.work, host);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->source.file, "torch-opset17.onnx");
  EXPECT_EQ(found->source.sha256, *hash_of_model_files(model()));
  EXPECT_FALSE(found->source.skeleton);
  EXPECT_EQ(found->source.seed, 0u) << "a model with weights has none";
}

TEST_F(ASource, OfACheckpointIsLookedForAsItsFolder) {
  source_.file = "model.onnx";
  source_.checkpoint = "bert";
  source_.sha256 = std::string(64, 'a');
  const auto found = find_source(source_, search_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().hint, "--models FOLDER names the folder that has the checkpoint 'bert'");
  source_.checkpoint = "../bert";
  EXPECT_FALSE(find_source(source_, search_));
}

}  // namespace
}  // namespace hone
