#include "support/recipe_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/bundle_for_tests.h"
#include "support/review.h"
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

// Each of these was once called good.
TEST(RecipeFiles, AreNotGoodWithNonsenseInThem) {
  const auto problems = [](void (*change)(RecipeFile&)) {
    RecipeFile file = testing::good_recipe();
    change(file);
    return problems_of(file, {});
  };
  const auto says = [](const char* key) { return Contains(::testing::StartsWith(key)); };
  EXPECT_THAT(problems([](RecipeFile& f) { f.data->kind = "../../x"; }), says("data.kind:"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.data->kind = "speech"; }), says("data.kind:"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.data->count = 0; }), says("data.count:"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.data->count = 1; }), says("data.count:"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.data->count = 1'000'000'000'000'000'000; }),
              says("data.count:"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.max_drop = 0.99; }), says("max_drop:"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.max_drop = -0.01; }), says("max_drop:"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.opset = -3; }), says("opset:"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.inputs[0].type = "banana"; }), says("inputs: 'x'"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.inputs[0].shape->at(0) = -1; }), says("inputs: 'x'"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.outputs[0].shape->at(1) = 0; }), says("outputs: 'y'"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.inputs.push_back(f.inputs[0]); }),
              Contains("inputs: 'x' is declared twice"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.recipe.session.threads = -5; }),
              says("recipe.session.threads:"));
  EXPECT_THAT(problems([](RecipeFile& f) { f.recipe.session.threads = 1'000'000; }),
              says("recipe.session.threads:"));
}

TEST(RecipeFiles, HaveOpenDimensionsBySymbolOrByNothing) {
  RecipeFile file = testing::good_recipe();
  file.inputs[0].shape = std::vector<Json>{"batch", 3, Json(), 320};
  EXPECT_THAT(problems_of(file, {}), IsEmpty());
}

TEST(RecipeFiles, OfTwoModelsNeverShareAPath) {
  RecipeFile file = testing::good_recipe();
  file.model = "a/b_c";
  EXPECT_THAT(problems_of(file, {}), IsEmpty());
  file.model = "a_b/c";
  EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("model:")));
  file = testing::good_recipe();
  file.recipe.target.ep = "qnn_npu";
  EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("recipe.target:")));
}

TEST(RecipeFiles, SayTheirShapesAndNameNoFileOfThem) {
  RecipeFile file = testing::good_recipe();
  for (const char* text : {"x=1x3x48x320", "batch=1,seq=128"}) {
    file.shape_config = text;
    EXPECT_THAT(problems_of(file, {}), IsEmpty()) << text;
  }
  for (const char* text : {"/etc/passwd", "shapes.json", "", "x=", "=3", "x=1xa", "x=/etc/passwd",
                           "x=1,/etc/passwd"}) {
    file.shape_config = text;
    EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("shape_config:"))) << text;
  }
}

TEST(RecipeFiles, ThatNameAFileOfShapesAreReadByAPersonFirst) {
  Bundle bundle = testing::good_bundle();
  bundle.recipe.shape_config = "x=1x3x48x320";
  EXPECT_THAT(risks_of(bundle), IsEmpty());
  bundle.recipe.shape_config = "/etc/passwd";
  EXPECT_THAT(risks_of(bundle), Contains("shape_config"));
}

TEST(RecipeFiles, DeclareInputsThatFitTheTask) {
  RecipeFile file = testing::good_recipe();
  file.inputs = {{"input_ids", "int64", std::vector<Json>{1, 128}}};
  EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("text-recognition takes pictures")));
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
  EXPECT_NE(weights_problem(recipe, {{"double", 4000}}), "") << "a double is no fp32";
  EXPECT_NE(weights_problem(recipe, {}), "");
  recipe.quantize.emplace();
  recipe.quantize->precisions = {"fp16"};
  EXPECT_EQ(weights_problem(recipe, {{"float16", 4000}, {"float", 4}}), "");
  EXPECT_NE(weights_problem(recipe, {{"float", 4000}}), "");
  EXPECT_NE(weights_problem(recipe, {{"float16", 400}, {"float", 4000}}), "")
      << "the larger part is float";
  recipe.quantize->precisions = {"a-precision-of-tomorrow"};
  EXPECT_NE(weights_problem(recipe, {{"float", 4000}}), "");
}

// What hone's own quantizer makes of a small BERT, and of a ResNet of which only the last layer is
// quantized.
TEST(Weights, AreThoseThatThePrecisionCovers) {
  Recipe recipe;
  recipe.quantize.emplace();
  const auto problem = [&](const char* precision, std::map<std::string, std::uint64_t> weights) {
    recipe.quantize->precisions = {precision};
    return weights_problem(recipe, weights);
  };
  EXPECT_EQ(problem("w8a8", {{"float", 180}, {"int32", 1052}, {"int8", 32165}}), "");
  EXPECT_NE(problem("w8a8", {{"float", 128368}, {"int8", 650}}), "");
  EXPECT_EQ(problem("w8a16", {{"float", 1672}, {"int8", 17518}, {"uint16", 180880}}), "")
      << "tables are looked up in the type of activations";
  EXPECT_EQ(problem("dynamic", {{"float", 400000}, {"int8", 17518}}), "")
      << "tables are not multiplied by";
  EXPECT_NE(problem("dynamic", {{"float", 400000}, {"int8", 500}}), "");
  EXPECT_EQ(problem("int4", {{"float", 39232}, {"uint8", 31395}}), "");
  EXPECT_NE(problem("int4", {{"float", 128368}, {"uint8", 650}}), "");
  recipe.quantize->precisions = {"fp16", "w8a8"};
  EXPECT_EQ(weights_problem(recipe, {{"float16", 4000}, {"int8", 4000}}), "");
  EXPECT_NE(weights_problem(recipe, {{"float16", 8000}}), "");
}

}  // namespace
}  // namespace hone
