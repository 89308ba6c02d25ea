#include "flow/knowledge/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "flow/knowledge/family_files.h"
#include "knowledge/families_for_tests.h"

namespace hone {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class AFamily : public testing::Test {
 protected:
  AFamily() {
    order_.folder = folder_.path() / "models";
    order_.about = "waves";
    order_.model_type = "wave";
    order_.said.title = "It fuses";
    order_.said.observation = "It was seen.";
    order_.said.evidence = {shown().string()};
    order_.trials = {tried("wave-tiny")};
    EXPECT_TRUE(write_file(shown(), "figures"));
  }
  Path shown() const { return folder_.path() / "shown.json"; }
  KnowledgeCheck checked(const std::string& path, const std::string& against = {}) const {
    return *check_families({.paths = {path}, .against = against, .folder = order_.folder});
  }

  TemporaryFolder folder_ = TemporaryFolder::create("families").value();
  FamilyOrder order_;
};

TEST_F(AFamily, BeginsWithAFindingThatNamesItsModelType) {
  order_.model_type.clear();
  const auto refused = add_to_family(order_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "nothing is known of a family 'waves': the first finding needs --model-type");
  order_.model_type = "wave";
  const auto kept = add_to_family(order_);
  ASSERT_TRUE(kept) << kept.error().what << kept.error().cause;
  EXPECT_EQ(kept->finding.id, "waves-001");
  EXPECT_EQ(kept->family.knowledge.findings.size(), 1u);
}

TEST_F(AFamily, BindsATrialToTheFileThatShowsIt) {
  const auto kept = add_to_family(order_);
  ASSERT_TRUE(kept) << kept.error().what << kept.error().cause;
  ASSERT_EQ(kept->finding.scope.validated_on.size(), 1u);
  EXPECT_EQ(kept->finding.scope.validated_on.front().evidence, sha256("figures").hex());
  EXPECT_EQ(kept->finding.evidence.front().file, "shown.json");
}

TEST_F(AFamily, KeepsWhatFellAndWhatItFellTo) {
  ASSERT_TRUE(add_to_family(order_));
  order_.about = "waves-001";
  order_.said.title = "It does not fuse in fp16";
  order_.trials = {tried("wave-tiny", "fp16")};
  const auto kept = falsify_in_family(order_);
  ASSERT_TRUE(kept) << kept.error().what << kept.error().cause;
  EXPECT_EQ(kept->finding.id, "waves-002");
  EXPECT_EQ(kept->family.knowledge.findings.front().scope.falsified_on.size(), 1u);
}

TEST_F(AFamily, ShowsTheFindingThatHeldAgain) {
  ASSERT_TRUE(add_to_family(order_));
  order_.said.title = "It fuses twice";
  ASSERT_TRUE(add_to_family(order_));
  order_.about = "waves-001";
  order_.trials = {tried("wave-large")};
  const auto kept = validate_in_family(order_);
  ASSERT_TRUE(kept) << kept.error().what << kept.error().cause;
  EXPECT_EQ(kept->finding.id, "waves-001");
  EXPECT_EQ(kept->finding.scope.validated_on.size(), 2u);
}

TEST_F(AFamily, DoesNotTakeTheDraftOfAnother) {
  order_.said.draft = (folder_.path() / "draft.json").string();
  ModelFindingDraft draft{.family = "bert", .finding = claim("It fuses", tried("bert-tiny"))};
  ASSERT_TRUE(write_file(order_.said.draft, write_draft(draft)));
  const auto refused = add_to_family(order_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("is a draft for the family 'bert'"));
}

TEST_F(AFamily, MayOnlyGrow) {
  ASSERT_TRUE(add_to_family(order_));
  const Path before = folder_.path() / "before";
  std::filesystem::copy(order_.folder, before);
  order_.said.title = "It fuses twice";
  ASSERT_TRUE(add_to_family(order_));
  const std::string now = order_.folder.string();
  EXPECT_THAT(checked(now, before.string()).problems, IsEmpty());
  std::string text = *read_file(order_.folder / "waves.json");
  text.replace(text.find("It fuses"), 8, "It melts");
  ASSERT_TRUE(write_file(order_.folder / "waves.json", text));
  EXPECT_THAT(checked(now, before.string()).problems,
              Contains(HasSubstr("beside the version before: waves-001")));
}

TEST_F(AFamily, IsMissedWhereItWasBefore) {
  ASSERT_TRUE(add_to_family(order_));
  const Path before = order_.folder;
  order_.folder = folder_.path() / "others";
  order_.about = "tides";
  ASSERT_TRUE(add_to_family(order_));
  EXPECT_THAT(checked(order_.folder.string(), before.string()).problems,
              ElementsAre("beside the version before: the family 'waves' is gone"));
}

}  // namespace
}  // namespace hone
