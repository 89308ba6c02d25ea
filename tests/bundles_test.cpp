// The catalog that comes with hone: every recipe holds, every bundle is whole and says nothing that
// its numbers do not, and one is climbed again. `make review` climbs all of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process.h"
#include "support/recipe_file.h"
#include "support/review.h"

namespace hone {
namespace {

const Path root = HONE_SOURCE_DIR;

std::vector<Path> files_named(const Path& folder, const std::string& end) {
  std::vector<Path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().filename().string().ends_with(end)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

TEST(Catalog, HasRecipesThatHoldInTheirPlaces) {
  const std::vector<Path> recipes = files_named(root / "recipes", ".json");
  EXPECT_GE(recipes.size(), 39u);
  for (const Path& path : recipes) {
    const auto file = read_recipe_file(path.string(), *read_file(path));
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_THAT(problems_of(*file, path), ::testing::IsEmpty()) << path;
  }
}

TEST(Catalog, HasABundleForEveryRecipeWithTheSameBytes) {
  for (const Path& path : files_named(root / "recipes", ".json")) {
    const Path place = path.lexically_relative(root / "recipes").replace_extension();
    const auto bundled = read_file(root / "bundles" / place / "recipe.json");
    ASSERT_TRUE(bundled) << place;
    EXPECT_EQ(*bundled, *read_file(path)) << place;
  }
}

TEST(Catalog, HasBundlesWithNothingHeldAgainstThem) {
  const std::vector<Path> manifests = files_named(root / "bundles", "manifest.json");
  EXPECT_GE(manifests.size(), 39u);
  for (const Path& manifest : manifests) {
    const auto read = read_bundle(manifest.parent_path());
    ASSERT_TRUE(read) << manifest;
    ASSERT_TRUE(read->bundle) << manifest;
    std::vector<ReviewLine> lines = read->lines;
    for (ReviewLine& line : check_bundle(*read->bundle)) lines.push_back(std::move(line));
    EXPECT_EQ(verdict_of(lines), ReviewVerdict::approve) << manifest;
  }
}

// On another processor than the bundle's, bytes and figures may differ by rounding: such a line is
// sent back. With the same one, what differs is rejected.
TEST(Catalog, IsNotContradictedWhereOneIsClimbedAgain) {
  const Path bundle = root / "bundles/google_bert-tiny/cpu/text-classification_fp32";
  const auto end =
      run_process({HONE_PROGRAM, "recipe", "review", bundle.string(), "-q", "--format", "json"});
  ASSERT_TRUE(end);
  const auto document = Json::parse(end->standard_output);
  ASSERT_TRUE(document) << end->standard_error;
  const Reviews reviews = *from_document<Reviews>(*document, support_schema_version);
  ASSERT_EQ(reviews.reviews.size(), 1u);
  EXPECT_GT(reviews.reviews.front().lines.size(), 60u);
  for (const ReviewLine& line : reviews.reviews.front().lines) {
    if (line.verdict == LineVerdict::holds) continue;
    EXPECT_EQ(line.verdict, LineVerdict::changes) << line.citation << ": " << line.what;
    EXPECT_THAT(line.check, ::testing::StartsWith("again.")) << line.what;
  }
}

}  // namespace
}  // namespace hone
