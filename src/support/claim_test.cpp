#include "support/claim.h"

#include <gtest/gtest.h>

#include "support/bundle_for_tests.h"
#include "support/review.h"

namespace hone {
namespace {

ReviewVerdict verdict_on(const SupportClaim& claim, std::size_t findings = 0) {
  return verdict_of(check_claim(claim, testing::good_recipe(), findings));
}

SupportClaim claim_of(Effort effort, std::vector<std::string> changes) {
  SupportClaim claim = testing::good_bundle().claim;
  claim.effort = effort;
  claim.outcome = outcome_of(effort);
  claim.changes = std::move(changes);
  claim.changes.push_back(recipe_path(testing::good_recipe()).generic_string());
  return claim;
}

TEST(Claim, OfARecipeTouchesRecipesAlone) {
  EXPECT_EQ(verdict_on(claim_of(Effort::l0, {"recipes/a/cpu/b_fp32.json"})),
            ReviewVerdict::approve);
  EXPECT_EQ(verdict_on(claim_of(Effort::l0, {"rules/cpu.json"})), ReviewVerdict::reject);
}

TEST(Claim, OfMoreEffortTouchesMore) {
  EXPECT_EQ(verdict_on(claim_of(Effort::l1_light, {"rules/cpu.json"}), 1), ReviewVerdict::approve);
  const std::string pass = "src/transform/passes/new_fusion.cpp";
  EXPECT_EQ(verdict_on(claim_of(Effort::l1_light, {pass}), 1), ReviewVerdict::reject);
  EXPECT_EQ(verdict_on(claim_of(Effort::l1, {pass}), 1), ReviewVerdict::approve);
  EXPECT_EQ(verdict_on(claim_of(Effort::l1, {"src/base/json.cpp"}), 1), ReviewVerdict::reject);
  EXPECT_EQ(verdict_on(claim_of(Effort::l2, {"src/base/json.cpp"}), 1), ReviewVerdict::approve);
}

TEST(Claim, WithoutATemplateOwesAFinding) {
  const SupportClaim claim = claim_of(Effort::l0_star, {"recipes/a/cpu/b_fp32.json"});
  EXPECT_EQ(verdict_on(claim, 0), ReviewVerdict::request_changes);
  EXPECT_EQ(verdict_on(claim, 1), ReviewVerdict::approve);
}

TEST(Claim, ThatDoesNotNameItsRecipeIsSentBack) {
  SupportClaim claim = claim_of(Effort::l0, {});
  EXPECT_EQ(verdict_on(claim), ReviewVerdict::approve);
  claim.changes = {"recipes/other/cpu/text-recognition_w8a16.json"};
  EXPECT_EQ(verdict_on(claim), ReviewVerdict::request_changes);
  claim.changes.clear();
  EXPECT_EQ(verdict_on(claim), ReviewVerdict::request_changes);
}

TEST(Claim, NamesFilesByPlainNamesAlone) {
  using namespace std::string_literals;
  for (const std::string& path :
       {"recipes/..\\..\\src/x"s, "recipes/a\n"s, "bundles/\u202e"s, "recipes/\0a"s, "recipes//a"s,
        "/recipes/a"s, "recipes/../a"s, "recipes/-rf"s})
    EXPECT_EQ(verdict_on(claim_of(Effort::l0, {path})), ReviewVerdict::reject) << path;
}

TEST(Claim, IsMadeAfterARecipeOfTheCatalogAndNotAfterItself) {
  SupportClaim claim = claim_of(Effort::l0, {});
  for (const std::string& path :
       {std::string("no/such/recipe.json"), std::string("recipes/a.json"), claim.changes.back()}) {
    claim.recipe_template = path;
    EXPECT_EQ(verdict_on(claim), ReviewVerdict::request_changes) << path;
  }
}

TEST(Claim, AboutAnotherModelIsRejected) {
  SupportClaim claim = claim_of(Effort::l0, {"recipes/a/cpu/b_fp32.json"});
  claim.model = "acme/writer";
  EXPECT_EQ(verdict_on(claim), ReviewVerdict::reject);
}

}  // namespace
}  // namespace hone
