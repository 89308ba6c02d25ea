#include "model/weights/stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

class Stats : public testing::Test {
 protected:
  Path path() const { return folder_.path() / "m.stats.json"; }
  Result<WeightStats> load(std::string_view text) const {
    EXPECT_TRUE(write_file(path(), text));
    return load_stats(path());
  }
  std::string cause(std::string_view text) const {
    const auto stats = load(text);
    return stats ? "accepted" : stats.error().cause;
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("stats-test");
};

TEST_F(Stats, AreReadFromTheFormatOfOtherTools) {
  const auto stats = load(R"({"model": "m", "bytes": 4096, "tensors": {"w": {"dtype": 1,
      "shape": [32, 32], "mean": 0.5, "std": 2, "offset": 0, "length": 4096}}})");
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->model, "m");
  EXPECT_EQ(stats->bytes, 4096u);
  ASSERT_EQ(stats->tensors.size(), 1u);
  const auto& [name, tensor] = stats->tensors.front();
  EXPECT_EQ(name, "w");
  EXPECT_EQ(tensor.type(), ElementType::float32);
  EXPECT_EQ(tensor.shape, (std::vector<std::int64_t>{32, 32}));
  EXPECT_EQ(tensor.mean, 0.5);
  EXPECT_EQ(tensor.std, 2);
  EXPECT_EQ(tensor.length, 4096u);
}

TEST_F(Stats, AreWrittenAsTheyAreReadAndKeepTheirOrder) {
  WeightStats stats;
  stats.model = "m";
  stats.bytes = 64;
  stats.tensors = {{"z", {1, {2, 3}, 0.1, 0.2, 0, 24}}, {"a", {10, {}, -1, 0, 64, 2}}};
  ASSERT_TRUE(save_stats(stats, path()));
  const auto loaded = load_stats(path());
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->tensors.size(), 2u);
  EXPECT_EQ(loaded->tensors[0].first, "z");
  EXPECT_EQ(loaded->tensors[0].second.mean, 0.1);
  EXPECT_EQ(loaded->tensors[1].first, "a");
  EXPECT_EQ(loaded->tensors[1].second.offset, 64u);
}

TEST_F(Stats, AnErrorNamesTheTensorAndTheField) {
  EXPECT_EQ(cause(R"({"tensors": {"w": {"dtype": 1, "shape": [], "std": 1}}})"),
            "tensor 'w': the document has no 'mean'");
  EXPECT_EQ(cause(R"({"tensors": {"w": {"dtype": 1, "shape": [], "mean": null, "std": 1}}})"),
            "tensor 'w': 'mean' must be a number, not null");
  EXPECT_EQ(cause(R"({"tensors": {"w": {"dtype": 1, "shape": [], "mean": 0, "std": -1}}})"),
            "tensor 'w': 'std' is negative");
  EXPECT_EQ(cause(R"({"model": "m"})"), "it has no object 'tensors'");
  EXPECT_EQ(cause("[]"), "it has no object 'tensors'");
}

TEST_F(Stats, WhatIsNotJsonIsRefusedWithItsPlace) {
  const auto stats = load("{\"tensors\": ");
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().fault, Fault::bad_input);
  EXPECT_THAT(stats.error().what, testing::EndsWith("m.stats.json' holds no weight statistics"));
  EXPECT_THAT(stats.error().cause, testing::HasSubstr("line 1"));
}

TEST(StatsPath, StandsBesideTheModel) {
  EXPECT_EQ(stats_path_for("a/bert.opset17.onnx"), Path("a/bert.opset17.stats.json"));
}

}  // namespace
}  // namespace hone
