#include "knowledge/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ranges>

#include "base/hash.h"
#include "knowledge/check.h"
#include "knowledge/findings_for_tests.h"

namespace hone {
namespace {

using testing::HasSubstr;

const Path shipped_folder = Path(HONE_SOURCE_DIR) / "knowledge";

TEST(ShippedFindings, AreTheFilesOfTheRepositoryAsHoneWritesThem) {
  ASSERT_FALSE(embedded_findings().empty());
  for (const EmbeddedFile& file : embedded_findings()) {
    const auto text = read_file(shipped_folder / file.name);
    ASSERT_TRUE(text) << file.name;
    const auto findings = read_findings(file.name, *text);
    ASSERT_TRUE(findings) << file.name << ": " << findings.error().cause;
    const std::string written = write_findings(*findings);
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(write_file(shipped_folder / file.name, written));
    } else {
      EXPECT_EQ(*text, written) << "UPDATE_GOLDEN=1 writes it so";
      EXPECT_EQ(*text, file.text) << file.name;
    }
  }
}

bool is_confirmed(const Finding& finding) { return finding.status == FindingStatus::confirmed; }

TEST(ShippedFindings, AreUniqueAndNoneMayRuleOut) {
  const auto findings = load_knowledge(std::nullopt);
  ASSERT_TRUE(findings) << findings.error().cause;
  EXPECT_THAT(problems_of_all(*findings), testing::IsEmpty());
  for (const Finding& finding : *findings) {
    EXPECT_FALSE(is_confirmed(finding) && finding.advice == FindingAdvice::skip) << finding.id;
    EXPECT_FALSE(finding.sources.empty()) << finding.id;
  }
}

TEST(ShippedFindings, ThatAreConfirmedHaveBesideThemWhatShowsIt) {
  std::vector<std::string> there;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(shipped_folder / "evidence")) {
    if (entry.is_regular_file()) there.push_back(sha256(*read_file(entry.path())).hex());
  }
  const auto findings = load_knowledge(std::nullopt);
  ASSERT_TRUE(findings);
  ASSERT_TRUE(std::ranges::any_of(*findings, is_confirmed));
  for (const Finding& finding : std::views::filter(*findings, is_confirmed)) {
    EXPECT_FALSE(finding.scope.validated_on.empty()) << finding.id;
    for (const auto& trial : finding.scope.validated_on)
      EXPECT_THAT(there, testing::Contains(trial.evidence)) << finding.id;
  }
}

TEST(ShippedFindings, ThatWereSpuriousAreRefuted) {
  const auto stored = load_stored(std::nullopt);
  ASSERT_TRUE(stored);
  for (const char* id : {"npu-001", "cpu-007", "cpu-008", "cpu-009", "gpu-008"}) {
    const auto found = find_finding(*stored, id);
    ASSERT_TRUE(found) << id;
    EXPECT_EQ((*found)->finding.status, FindingStatus::refuted) << id;
  }
  for (const char* id : {"npu-004", "npu-005"}) {
    EXPECT_FALSE(find_finding(*stored, id)) << id << " was withdrawn by its authors";
  }
}

class Store : public testing::Test {
 protected:
  TemporaryFolder folder_ = *TemporaryFolder::create("knowledge");
  Path kb() const { return folder_.path() / "kb"; }
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(kb());
    ASSERT_TRUE(write_file(kb() / name, text));
  }
};

TEST_F(Store, KeepsOneFilePerFinding) {
  const auto path = save_finding(kb(), confirmed_finding());
  ASSERT_TRUE(path) << path.error().cause;
  EXPECT_EQ(path->filename(), "npu-100.json");
  const auto stored = load_stored(kb());
  ASSERT_TRUE(stored) << stored.error().cause;
  EXPECT_EQ(stored->back().finding.id, "npu-100");
  EXPECT_EQ(stored->back().file, *path);
  EXPECT_FALSE(stored->back().replaces_shipped);
}

TEST_F(Store, TakesTheUsersCopyInThePlaceOfTheShippedOne) {
  Finding copy = (*find_finding(*load_stored(std::nullopt), "npu-006"))->finding;
  const std::size_t shipped = load_stored(std::nullopt)->size();
  copy.title = "Seen again";
  ASSERT_TRUE(save_finding(kb(), copy));
  const auto stored = load_stored(kb());
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->size(), shipped);
  const StoredFinding* found = *find_finding(*stored, "npu-006");
  EXPECT_EQ(found->finding.title, "Seen again");
  EXPECT_TRUE(found->replaces_shipped);
}

TEST_F(Store, WithoutAFolderHoldsWhatIsShipped) {
  EXPECT_EQ(load_knowledge(kb())->size(), load_knowledge(std::nullopt)->size());
}

TEST_F(Store, RefusesAHistoryThatDoesNotGoOn) {
  Finding finding = confirmed_finding();
  ASSERT_TRUE(save_finding(kb(), finding));
  finding.history.push_back({"2026-03-01", FindingAction::falsified, "elsewhere"});
  ASSERT_TRUE(save_finding(kb(), finding));
  finding.history[0].why = "as I would have it";
  const auto refused = save_finding(kb(), finding);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().cause, HasSubstr("does not go on"));
  finding.history.clear();
  EXPECT_FALSE(save_finding(kb(), finding));
}

TEST_F(Store, RefusesToKeepAFindingWithProblems) {
  Finding finding = confirmed_finding();
  finding.id = "../../escape";
  EXPECT_FALSE(save_finding(kb(), finding));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "escape.json"));
  EXPECT_FALSE(std::filesystem::exists(kb()));
}

TEST_F(Store, RefusesAFileThatIsNotNamedAfterItsFinding) {
  const Finding finding = confirmed_finding();
  put("other.json", write_findings(std::span(&finding, 1)));
  const auto refused = load_knowledge(kb());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().cause, HasSubstr("with the id 'other'"));
}

TEST_F(Store, NamesTheFileThatIsBroken) {
  put("npu-100.json", "{");
  const auto refused = load_knowledge(kb());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("npu-100.json"));
}

TEST_F(Store, SuggestsTheNearestId) {
  const auto missing = find_finding(*load_stored(std::nullopt), "npu-0006");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().hint, HasSubstr("npu-006"));
}

// What a reader sees at any moment is what a writer that is killed at that moment leaves behind.
TEST_F(Store, IsWholeAtEveryMomentOfAWriteAndAfterAKill) {
  Finding finding = confirmed_finding();
  finding.observation = std::string(500'000, 'x');  // long enough to be seen in its midst
  ASSERT_TRUE(save_finding(kb(), finding));
  const pid_t writer = ::fork();
  ASSERT_GE(writer, 0);
  while (writer == 0) {
    finding.history.push_back({"2026-03-01", FindingAction::falsified, "again"});
    if (!save_finding(kb(), finding)) ::_exit(1);
  }
  const auto is_whole = [&] {
    const auto stored = load_stored(kb());
    return stored && stored->back().finding.observation == finding.observation;
  };
  int whole = 0;
  constexpr int looks = 60;
  for (int look = 0; look < looks; ++look) whole += is_whole() ? 1 : 0;
  ::kill(writer, SIGKILL);
  int end = 0;
  ASSERT_EQ(::waitpid(writer, &end, 0), writer);
  EXPECT_TRUE(WIFSIGNALED(end)) << "the writer failed by itself";
  EXPECT_EQ(whole, looks);
  ASSERT_TRUE(is_whole());
  EXPECT_GT(load_stored(kb())->back().finding.history.size(), 2u) << "nothing was written";
}

}  // namespace
}  // namespace hone
