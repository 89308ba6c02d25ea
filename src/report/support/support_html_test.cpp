#include "report/support/support_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/support/bundles_for_tests.h"
#include "report/support/support_text.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(BundlePage, ShowsEveryTierWithItsEvidence) {
  const std::string page = bundle_page(shown_bundle());
  EXPECT_THAT(page, HasSubstr("acme/reader reached L2 on cpu"));
  EXPECT_THAT(page, HasSubstr("0.500 [0.420, 0.600] of the time of the model as it came, faster"));
  EXPECT_THAT(page, HasSubstr("cli-blocked"));
}

TEST(BundlePage, DoesNotBecomeWhatABundleSays) {
  EXPECT_THAT(bundle_page(hostile_bundle()), Not(HasSubstr("<img")));
}

TEST(BundleMarkdown, KeepsItsTablesWhateverABundleSays) {
  Bundle bundle = shown_bundle();
  bundle.recipe.task = "a|b\nc";
  const std::string text = bundle_markdown(bundle);
  EXPECT_THAT(text, HasSubstr("| task | a\\|b"));
  EXPECT_THAT(text, Not(HasSubstr("b\nc")));
}

TEST(BundleMarkdown, HasNoTagsAndPicturesOfABundle) {
  Bundle bundle = shown_bundle();
  bundle.notes.surprises = {"<script>x</script> ![a](http://evil/x.png) [b](javascript:x)"};
  bundle.ladder.tiers[0].commands = {"```<img src=x>"};
  const std::string text = bundle_markdown(bundle);
  EXPECT_THAT(text, HasSubstr("- \\<script>x\\</script> ![a]\\(http"));
  EXPECT_THAT(text, Not(HasSubstr("](")));
  EXPECT_THAT(text, Not(HasSubstr("\n```<")));
}

TEST(BundleReport, NamesTheTargetsThatRanIt) {
  EXPECT_THAT(bundle_markdown(shown_bundle()), HasSubstr("| ran on | cpu |"));
  EXPECT_THAT(bundle_page(shown_bundle()), HasSubstr("Ran on"));
}

TEST(BundleReport, SaysWhereItIsNotWhatTheManifestSays) {
  const std::vector<std::string> doubts = {"ladder.json: another SHA-256"};
  EXPECT_THAT(bundle_markdown(shown_bundle(), doubts), HasSubstr("- ladder.json: another SHA-256"));
  EXPECT_THAT(bundle_page(shown_bundle(), doubts),
              HasSubstr("not what the manifest says: ladder.json"));
}

}  // namespace
}  // namespace hone
