#include "transform/quantize/method.h"

#include <gtest/gtest.h>

#include <set>

#include "record/recipe.h"

namespace hone {
namespace {

TEST(Methods, HaveNamesThatNoOtherHasAndASummaryOfOneShortLine) {
  std::set<std::string_view> names;
  for (const CalibrationMethod& method : all_methods()) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name;
    EXPECT_LE(method.summary.size(), 72u) << method.name;
    EXPECT_FALSE(method.summary.empty() || method.summary.ends_with('.')) << method.name;
  }
}

TEST(Methods, FindARangeInWhatTheyCount) {
  for (const CalibrationMethod& method : all_methods())
    EXPECT_EQ(method.range != nullptr, method.counts != Counting::nothing) << method.name;
}

TEST(Methods, BeginWithTheOneOfARecipeThatSaysNothing) {
  EXPECT_EQ(all_methods().front().name, QuantizeRecipe().method);
}

TEST(Methods, AreFoundByNameOrListed) {
  EXPECT_EQ(find_method("entropy")->counts, Counting::numbers);
  const auto unknown = find_method("entrophy");
  EXPECT_EQ(unknown.error().what, "there is no method 'entrophy'");
  EXPECT_EQ(unknown.error().cause, "it is one of: minmax, entropy, percentile");
  EXPECT_EQ(unknown.error().hint, "did you mean 'entropy'?");
}

}  // namespace
}  // namespace hone
