#include "kinds/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;

TEST(Precisions, AreFoundByTheirNameOrAnAlias) {
  ASSERT_NE(find_precision("w8a8"), nullptr);
  EXPECT_EQ(find_precision("int8"), find_precision("w8a8"));
  EXPECT_EQ(find_precision("w7a7"), nullptr);
}

TEST(Precisions, OfRecipesAreThoseThatAreMadeByThemselves) {
  EXPECT_NE(find_made_precision("w8a8"), nullptr);
  EXPECT_EQ(find_made_precision("int8"), nullptr);   // another word for one
  EXPECT_EQ(find_made_precision("fp32"), nullptr);   // nothing to do
  EXPECT_EQ(find_made_precision("w4a16"), nullptr);  // two in turn
  EXPECT_THAT(made_precision_names(),
              ElementsAre("w8a8", "w8a16", "w16a8", "int16", "int4", "fp16", "dynamic"));
}

TEST(Precisions, HaveNamesThatNoOtherHasAndASummaryOfOneShortLine) {
  std::set<std::string_view> names;
  for (const Precision& precision : all_precisions()) {
    EXPECT_TRUE(names.insert(precision.name).second) << precision.name;
    for (const std::string_view alias : precision.aliases)
      EXPECT_TRUE(names.insert(alias).second) << alias;
    EXPECT_LE(precision.summary.size(), 72u) << precision.name;
    EXPECT_FALSE(precision.summary.empty() || precision.summary.ends_with('.')) << precision.name;
  }
}

TEST(Precisions, AreMadeOfOthersThatAreThere) {
  for (const Precision& precision : all_precisions()) {
    for (const std::string_view step : precision.steps)
      EXPECT_NE(find_made_precision(step), nullptr) << precision.name << " " << step;
    for (const MilderPrecision& milder : precision.milder)
      EXPECT_NE(find_made_precision(milder.name), nullptr) << precision.name << " " << milder.name;
  }
}

TEST(Precisions, SayWhatTheirWeightsAreStoredAsAndWhatElseThereIsWhereTheyTakeNothing) {
  for (const Precision& precision : all_precisions()) {
    EXPECT_FALSE(precision.stored_as.empty()) << precision.name;
    EXPECT_EQ(precision.activation_type.empty(), precision.making != Making::ranges)
        << precision.name;
    const bool needs_no_samples =
        precision.making != Making::ranges && precision.making != Making::nothing;
    EXPECT_EQ(precision.lacking.empty(), !needs_no_samples) << precision.name;
    EXPECT_EQ(precision.instead.empty(), !needs_no_samples) << precision.name;
  }
}

TEST(Precisions, ThatAreTriedSayWhereAndWhyNotElsewhere) {
  for (const Precision& precision : all_precisions()) {
    EXPECT_THAT((std::vector<std::string_view>{"cpu", "gpu", "npu"}),
                IsSupersetOf(precision.fast_on));
    if (precision.tries.empty()) continue;
    EXPECT_NE(find_made_precision(precision.name), nullptr) << precision.name;
    EXPECT_FALSE(precision.fast_on.empty()) << precision.name;
    EXPECT_FALSE(precision.elsewhere.empty()) << precision.name;
  }
}

}  // namespace
}  // namespace hone
