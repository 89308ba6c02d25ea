#include "flow/knowledge/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "knowledge/check.h"
#include "knowledge/findings_for_tests.h"
#include "knowledge/store.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class AKnowledgeBase : public testing::Test {
 protected:
  AKnowledgeBase() {
    finding_.status = FindingStatus::draft;
    finding_.history.resize(1);
    EXPECT_TRUE(save_finding(own(), finding_));
  }
  Path own() const { return folder_.path() / "own"; }
  std::string file_of(const Finding& finding) const {
    EXPECT_TRUE(save_finding(folder_.path() / "given", finding));
    return (folder_.path() / "given" / (finding.id + ".json")).string();
  }

  TemporaryFolder folder_ = TemporaryFolder::create("findings").value();
  Finding finding_ = confirmed_finding();
};

TEST_F(AKnowledgeBase, ListsWhatMayHoldOnTheTargetThatIsAskedFor) {
  const auto ids = [&](const FindingFilter& filter) {
    std::vector<std::string> found;
    const auto listed = list_findings(own(), filter);
    for (const ListedFinding& one : listed->findings)
      if (one.file) found.push_back(one.finding.id);
    return found;
  };
  EXPECT_THAT(ids({"qnn", "npu", ""}), testing::ElementsAre("npu-100"));
  EXPECT_THAT(ids({"cpu", "", ""}), IsEmpty());
  EXPECT_THAT(ids({"qnn", "npu", "confirmed"}), IsEmpty());
}

TEST_F(AKnowledgeBase, RefusesToAddWhatIsKnown) {
  const auto refused = take_in_findings(own(), file_of(finding_), TakeIn::new_ones);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "there is a finding 'npu-100' already");
  const auto joined = take_in_findings(own(), file_of(finding_), TakeIn::all);
  EXPECT_TRUE(joined) << joined.error().what;
}

TEST_F(AKnowledgeBase, KeepsWhyAFindingFellAndWhatShowsIt) {
  const Path shown = folder_.path() / "trial.json";
  ASSERT_TRUE(write_file(shown, "figures"));
  const auto fallen = falsify_finding({.folder = own(),
                                       .id = "npu-100",
                                       .trial = trial_on("c.onnx", "third", 'c'),
                                       .why = "it gained 4 %",
                                       .evidence = {shown.string()}});
  ASSERT_TRUE(fallen) << fallen.error().what;
  EXPECT_EQ(fallen->finding.evidence.back().sha256, sha256("figures").hex());
  EXPECT_THAT(fallen->finding.history.back().why, HasSubstr("it gained 4 %"));
}

TEST_F(AKnowledgeBase, ChecksTheFileThatIsNamedAndNoOther) {
  const Path file = folder_.path() / "wrong.json";
  ASSERT_TRUE(write_file(file, "{"));
  const auto checked = check_findings(file.string(), own());
  ASSERT_TRUE(checked) << checked.error().what;
  EXPECT_EQ(checked->files, 1u);
  EXPECT_EQ(checked->problems.size(), 1u);
  EXPECT_GT(check_findings("", own())->files, 1u) << "what is shipped, and the user's own";
}

TEST_F(AKnowledgeBase, NamesWhatIsNotThere) {
  EXPECT_FALSE(show_finding(own(), "npu-999"));
  EXPECT_EQ(show_finding(own(), "npu-100")->finding.title, "Gelu fusion is slow");
}

}  // namespace
}  // namespace hone
