#include "transform/quantize/idle_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Everything that can be said, of these precisions.
QuantizeRecipe all_said(std::vector<std::string> precisions) {
  QuantizeRecipe recipe;
  recipe.precisions = std::move(precisions);
  recipe.preset = "qnn";
  recipe.method = "percentile";
  recipe.percentile = 99.9;
  recipe.per_channel = true;
  recipe.symmetric = true;
  recipe.block_size = 32;
  recipe.weight_type = "int8";
  recipe.activation_type = "uint16";
  return recipe;
}

std::vector<std::string_view> idle_of(const QuantizeRecipe& recipe) {
  std::vector<std::string_view> names;
  for (const IdleSetting& one : idle_settings(recipe)) names.push_back(one.name);
  return names;
}

TEST(IdleSettings, AreThoseThatNoneOfThePrecisionsLooksAt) {
  EXPECT_THAT(idle_of(all_said({"w8a8"})), ElementsAre("block_size"));
  EXPECT_THAT(
      idle_of(all_said({"dynamic"})),
      ElementsAre("method", "percentile", "preset", "activation_type", "symmetric", "block_size"));
  EXPECT_THAT(idle_of(all_said({"int4"})),
              ElementsAre("method", "percentile", "preset", "activation_type", "per_channel",
                          "weight_type"));
  EXPECT_THAT(idle_of(all_said({"fp16"})),
              ElementsAre("method", "percentile", "preset", "activation_type", "per_channel",
                          "weight_type", "symmetric", "block_size"));
}

TEST(IdleSettings, AreNoneWhereOnePrecisionOfSeveralLooksAtThem) {
  EXPECT_THAT(idle_of(all_said({"w8a8", "int4"})), IsEmpty());
}

TEST(IdleSettings, AreNoneWhereAllIsAsUsual) {
  QuantizeRecipe usual;
  usual.precisions = {"fp16"};
  EXPECT_THAT(idle_of(usual), IsEmpty());
}

TEST(IdleSettings, HaveThePercentileWhereTheMethodTakesNone) {
  QuantizeRecipe recipe;
  recipe.precisions = {"w8a8"};
  recipe.percentile = 99.9;
  ASSERT_THAT(idle_of(recipe), ElementsAre("percentile"));
  EXPECT_EQ(idle_settings(recipe).front().needs, "the method percentile");
}

TEST(IdleSettings, OfAPrecisionThatThereIsNotAreThoseOfAStaticOne) {
  EXPECT_THAT(idle_of(all_said({"w9a9"})), ElementsAre("block_size"));
}

TEST(IdleSettings, AreAsUsualOnceTheyAreReset) {
  QuantizeRecipe recipe = all_said({"dynamic"});
  reset_idle_settings(recipe);
  EXPECT_THAT(idle_of(recipe), IsEmpty());
  EXPECT_EQ(recipe.method, "minmax");
  EXPECT_EQ(recipe.preset, "ort");
  EXPECT_FALSE(recipe.symmetric);
  EXPECT_TRUE(recipe.per_channel);  // it looks at that one
  EXPECT_EQ(recipe.weight_type, "int8");
}

}  // namespace
}  // namespace hone
