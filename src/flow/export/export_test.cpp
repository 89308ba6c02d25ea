#include "flow/export/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/killed_for_tests.h"
#include "model/model.h"

namespace hone {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExportedTo : public testing::Test {
 protected:
  ExportedTo() {
    std::filesystem::copy("tests/fixtures/hf/bert", checkpoint());
    std::filesystem::permissions(checkpoint() / "config.json", std::filesystem::perms::owner_all);
  }

  Path checkpoint() const { return folder_.path() / "bert"; }
  Path out() const { return folder_.path() / "out"; }

  // Without a check: nothing is opened here.
  ExportModelOrder order() const {
    ExportModelOrder order{.source = checkpoint().string(), .output = out().string()};
    order.checks = false;
    return order;
  }

  Result<ExportResult> exported(const std::string& form = "standard") const {
    ExportModelOrder asked = order();
    asked.form = form;
    asked.overwrite = true;
    return export_model(asked, {});
  }

  static std::size_t nodes_in(const Path& file) {
    const auto model = load_model(file);
    bool is_whole = model.has_value();
    if (!model) return 0;
    for_each_tensor(*model,
                    [&](const TensorPtr& tensor, const Node*) { is_whole &= !tensor->absent; });
    return is_whole ? model->graph->nodes().size() : 0;
  }

  std::vector<std::string> names_in(const Path& folder) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

  TemporaryFolder folder_ = TemporaryFolder::create("export").value();
};

TEST_F(ExportedTo, AFolderHasASecondNameOfTheWeights) {
  const auto made = exported();
  ASSERT_TRUE(made) << made.error().what << made.error().cause;
  EXPECT_EQ(made->weights.placement, WeightPlacement::hard_link);
  EXPECT_TRUE(
      std::filesystem::equivalent(out() / "model.safetensors", checkpoint() / "model.safetensors"));
  EXPECT_THAT(names_in(out()), ElementsAre("config.json", "model.onnx", "model.safetensors"));
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("bert", "out"));
  EXPECT_FALSE(made->checked);
}

TEST_F(ExportedTo, AnotherFileSystemHasACopyOfTheWeights) {
  struct stat here {};
  struct stat there {};
  const bool is_other = ::stat("/dev/shm", &there) == 0 &&
                        ::stat(folder_.path().c_str(), &here) == 0 && here.st_dev != there.st_dev &&
                        ::access("/dev/shm", W_OK) == 0;
  if (!is_other) GTEST_SKIP() << "/dev/shm is no other file system that can be written";
  const TemporaryFolder away = TemporaryFolder::create_in("/dev/shm", "export").value();
  ExportModelOrder asked = order();
  asked.output = (away.path() / "out").string();
  const auto made = export_model(asked, {});
  ASSERT_TRUE(made) << made.error().what << made.error().cause;
  EXPECT_EQ(made->weights.placement, WeightPlacement::copy);
  EXPECT_EQ(read_file(away.path() / "out/model.safetensors").value(),
            read_file(checkpoint() / "model.safetensors").value());
  EXPECT_GT(nodes_in(away.path() / "out/model.onnx"), 0U);
}

TEST_F(ExportedTo, AFolderThatIsThereKeepsWhatElseIsInIt) {
  ASSERT_TRUE(exported());
  std::filesystem::create_directories(out() / "mine");
  ASSERT_TRUE(write_file(out() / "mine/notes.txt", "precious"));
  ASSERT_TRUE(write_file(out() / "model.onnx", "no model"));
  ASSERT_TRUE(exported());
  EXPECT_EQ(read_file(out() / "mine/notes.txt").value(), "precious");
  EXPECT_GT(nodes_in(out() / "model.onnx"), 0U);
}

TEST_F(ExportedTo, AFolderIsTheOldExportOrTheNewOneWheneverItIsKilled) {
  HONE_SKIP_WITHOUT_TRACING();
  ASSERT_TRUE(exported("contrib"));
  const std::size_t fused = nodes_in(out() / "model.onnx");
  for (std::uint64_t step = 0;; ++step) {
    ASSERT_TRUE(exported());
    const std::size_t plain = nodes_in(out() / "model.onnx");
    ASSERT_TRUE(write_file(out() / "notes.txt", "precious"));
    const bool was_killed = killed_at(step, [&] { return exported("contrib").has_value(); });
    EXPECT_THAT(nodes_in(out() / "model.onnx"), AnyOf(plain, fused)) << "step " << step;
    EXPECT_EQ(read_file(out() / "notes.txt").value(), "precious") << "step " << step;
    if (HasFailure()) return;
    if (was_killed) continue;
    EXPECT_GE(step, 5U) << "a folder, weights, a model and the names they take";
    break;
  }
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("bert", "out"));
}

TEST_F(ExportedTo, AFileIsTheOldModelOrTheNewOneWheneverItIsKilled) {
  HONE_SKIP_WITHOUT_TRACING();
  std::filesystem::create_directories(out());
  const auto to_file = [&](const std::string& weights) {
    ExportModelOrder asked = order();
    asked.output = (out() / "one.onnx").string();
    asked.weights = weights;
    asked.overwrite = true;
    return export_model(asked, {}).has_value();
  };
  for (std::uint64_t step = 0;; ++step) {
    ASSERT_TRUE(to_file("in-place"));
    const bool was_killed = killed_at(step, [&] { return to_file("copy"); });
    EXPECT_GT(nodes_in(out() / "one.onnx"), 0U) << "step " << step;
    if (HasFailure()) return;
    if (!was_killed) break;
  }
  EXPECT_THAT(names_in(out()), ElementsAre("model.safetensors", "one.onnx", "one.onnx.data"));
}

TEST_F(ExportedTo, APlaceThatFailsHasNothingOfIt) {
  ASSERT_TRUE(write_file(checkpoint() / "config.json", "{\"model_type\": \"bert\"}"));
  const auto made = exported();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().cause, HasSubstr("word_embeddings.weight' is [200, 32]"));
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("bert"));
}

TEST_F(ExportedTo, AFileBesideOtherWeightsDoesNotReplaceThem) {
  std::filesystem::create_directories(out());
  ASSERT_TRUE(write_file(out() / "model.safetensors", "of another model"));
  ExportModelOrder asked = order();
  asked.output = (out() / "one.onnx").string();
  const auto refused = export_model(asked, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("model.safetensors' exists already"));
  EXPECT_THAT(names_in(out()), ElementsAre("model.safetensors"));
  asked.overwrite = true;
  ASSERT_TRUE(export_model(asked, {}));
  EXPECT_GT(nodes_in(out() / "one.onnx"), 0U);
}

TEST_F(ExportedTo, WhatALinkOfACacheLeadsToGetsTheSecondName) {
  const Path blob = folder_.path() / "blob";
  std::filesystem::rename(checkpoint() / "model.safetensors", blob);
  std::filesystem::create_symlink("../blob", checkpoint() / "model.safetensors");
  const auto made = exported();
  ASSERT_TRUE(made) << made.error().what << made.error().cause;
  EXPECT_FALSE(std::filesystem::is_symlink(out() / "model.safetensors"));
  EXPECT_TRUE(std::filesystem::equivalent(out() / "model.safetensors", blob));
}

}  // namespace
}  // namespace hone
