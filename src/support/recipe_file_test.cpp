#include "support/recipe_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/bundle_for_tests.h"
#include "support/weights.h"

namespace hone {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* const place = "recipes/acme_reader/cpu/text-recognition_w8a16.json";

TEST(RecipeFiles, StandWhereTheirContentsSay) {
  const RecipeFile file = testing::good_recipe();
  EXPECT_EQ(recipe_path(file).generic_string(), place);
  EXPECT_THAT(problems_of(file, place), IsEmpty());
  EXPECT_THAT(problems_of(file, Path("/catalog") / place), IsEmpty());
  EXPECT_THAT(problems_of(file, "recipes/acme_reader/cpu/text-recognition_fp32.json"),
              Contains(HasSubstr("should end in")));
}

TEST(RecipeFiles, AreNamedAfterTheDeviceToo) {
  EXPECT_EQ(target_word({.ep = "qnn", .device = "npu", .options = {}}), "qnn_npu");
  EXPECT_EQ(target_word({.ep = "cpu", .device = "cpu", .options = {}}), "cpu");
}

TEST(RecipeFiles, AreReadAsTheyAreWritten) {
  const RecipeFile file = testing::good_recipe();
  const auto again = read_recipe_file(place, write_recipe_file(file));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again), to_json(file));
}

TEST(RecipeFiles, WithAKeyNobodyKnowsAreRefusedWithItsPlace) {
  std::string text = write_recipe_file(testing::good_recipe());
  text.replace(text.find("\"preset\""), 8, "\"presett\"");
  const auto file = read_recipe_file(place, text);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().what, HasSubstr("presett"));
}

TEST(RecipeFiles, SayThePrecisionThatTheyMake) {
  RecipeFile file = testing::good_recipe();
  file.precision = "fp16";
  EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("precision: 'fp16'")));
}

TEST(RecipeFiles, NameATaskThatIsKnown) {
  RecipeFile file = testing::good_recipe();
  file.task = "text-recogntion";
  EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("did you mean 'text-recognition'")));
}

TEST(RecipeFiles, HaveNamesThatNoPathCanAbuse) {
  RecipeFile file = testing::good_recipe();
  file.model = "../../etc/passwd";
  EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("model:")));
  file = testing::good_recipe();
  file.source.file = "../reader.onnx";
  EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("source.file:")));
}

TEST(RecipeFiles, WithDataSayWhatDropIsAllowed) {
  RecipeFile file = testing::good_recipe();
  file.max_drop.reset();
  EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("max_drop:")));
}

TEST(Tasks, AreThoseThatTheModelCanBeFedFor) {
  ModelFacts facts;
  facts.inputs = {{"input_ids", "int64", std::vector<Json>{1, 128}}};
  EXPECT_THAT(task_problems("image-classification", facts), ::testing::SizeIs(1));
  EXPECT_THAT(task_problems("fill-mask", facts), IsEmpty());
}

TEST(Weights, AreOfTheTypeThatThePrecisionSays) {
  Recipe recipe;
  EXPECT_EQ(weights_problem(recipe, {{"float", 4000}}), "");
  EXPECT_NE(weights_problem(recipe, {{"int8", 4000}}), "");
  recipe.quantize.emplace();
  recipe.quantize->precisions = {"fp16"};
  EXPECT_EQ(weights_problem(recipe, {{"float16", 4000}, {"float", 4}}), "");
  EXPECT_NE(weights_problem(recipe, {{"float", 4000}}), "");
  recipe.quantize->precisions = {"a-precision-of-tomorrow"};
  EXPECT_NE(weights_problem(recipe, {{"float", 4000}}), "");
}

}  // namespace
}  // namespace hone
