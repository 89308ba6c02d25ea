#include "knowledge/family_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/hash.h"
#include "knowledge/families_for_tests.h"
#include "knowledge/family_check.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Path shipped_folder = Path(HONE_SOURCE_DIR) / "model_knowledge";

TEST(ShippedFamilies, AreTheFilesOfTheRepositoryAsHoneWritesThem) {
  ASSERT_FALSE(embedded_families().empty());
  for (const EmbeddedFile& file : embedded_families()) {
    const auto text = read_file(shipped_folder / file.name);
    ASSERT_TRUE(text) << file.name;
    EXPECT_EQ(*text, file.text) << file.name;
    const auto family = read_family(file.name, *text);
    ASSERT_TRUE(family) << family.error().cause;
    EXPECT_EQ(*text, write_family(*family)) << file.name;
  }
}

TEST(ShippedFamilies, RestOnEvidenceThatLiesBesideThem) {
  const auto families = load_families("nowhere");
  ASSERT_TRUE(families) << families.error().cause;
  for (const ListedFamily& listed : *families) {
    for (const ModelFinding& finding : listed.knowledge.findings) {
      EXPECT_FALSE(finding.evidence.empty()) << finding.id;
      for (const ModelEvidence& evidence : finding.evidence) {
        const auto bytes = read_file(shipped_folder / evidence.file);
        ASSERT_TRUE(bytes) << finding.id << ": " << evidence.file;
        EXPECT_EQ(sha256(*bytes).hex(), evidence.sha256) << finding.id << ": " << evidence.file;
      }
    }
  }
}

class FamilyStore : public testing::Test {
 protected:
  TemporaryFolder folder_ = *TemporaryFolder::create("families");
  Path own() const { return folder_.path() / "models"; }
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(own());
    ASSERT_TRUE(write_file(own() / name, text));
  }
  // A family that no shipped one is named like.
  static FamilyKnowledge family() {
    FamilyKnowledge family{.family = "made_up", .model_type = "made-up"};
    return *appended(std::move(family), claim("It fuses", tried("made-up-tiny")));
  }
};

TEST_F(FamilyStore, KeepsOneFilePerFamily) {
  const auto path = save_family(own(), family());
  ASSERT_TRUE(path) << path.error().cause;
  EXPECT_EQ(path->filename(), "made_up.json");
  const auto families = load_families(own());
  ASSERT_TRUE(families) << families.error().cause;
  EXPECT_EQ(families->back().knowledge.family, "made_up");
  EXPECT_EQ(families->back().file, path->string());
}

TEST_F(FamilyStore, RefusesToRewriteWhatTheFileHolds) {
  ASSERT_TRUE(save_family(own(), family()));
  FamilyKnowledge other{.family = "made_up", .model_type = "made-up"};
  other = *appended(std::move(other), claim("It never fuses", tried("made-up-tiny")));
  const auto refused = save_family(own(), other);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().cause, HasSubstr("made_up-001: title was rewritten"));
  EXPECT_TRUE(save_family(own(), *appended(family(), claim("More", tried("made-up-base")))));
  EXPECT_FALSE(save_family(own(), family())) << "the second finding would be lost";
}

TEST_F(FamilyStore, GoesOnWhereTheShippedFamilyEnds) {
  const FamilyKnowledge shipped = load_families(own())->front().knowledge;
  ASSERT_TRUE(save_family(own(), *appended(shipped, claim("More", tried("another")))));
  const auto families = load_families(own());
  EXPECT_TRUE(families->front().replaces_shipped);
  EXPECT_EQ(families->front().knowledge.findings.size(), shipped.findings.size() + 1);
  FamilyKnowledge other{.family = shipped.family, .model_type = shipped.model_type};
  other = *appended(std::move(other), claim("Another beginning", tried("another")));
  EXPECT_FALSE(save_family(folder_.path() / "empty", other));
}

TEST_F(FamilyStore, RefusesAFamilyWithProblems) {
  FamilyKnowledge broken = family();
  broken.family = "../../escape";
  EXPECT_FALSE(save_family(own(), broken));
  EXPECT_FALSE(std::filesystem::exists(own()));
}

TEST_F(FamilyStore, RefusesAFileThatIsNotNamedAfterItsFamily) {
  put("other.json", write_family(family()));
  const auto refused = load_families(own());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().cause, HasSubstr("it is of the family 'made_up', not of 'other'"));
}

TEST_F(FamilyStore, NamesTheFileThatIsBroken) {
  put("made_up.json", "{");
  const auto refused = load_families(own());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("made_up.json"));
}

TEST_F(FamilyStore, SuggestsTheNearestFamily) {
  ASSERT_TRUE(save_family(own(), family()));
  const auto missing = find_family(*load_families(own()), "made_op");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().hint, HasSubstr("made_up"));
}

// What a reader sees at any moment is what a writer that is killed at that moment leaves behind.
TEST_F(FamilyStore, IsWholeAtEveryMomentOfAWriteAndAfterAKill) {
  FamilyKnowledge growing = family();
  ASSERT_TRUE(save_family(own(), growing));
  const pid_t writer = ::fork();
  ASSERT_GE(writer, 0);
  while (writer == 0) {
    ModelFinding next = claim("Another one", tried("made-up-tiny"));
    next.observation = std::string(8000, 'x');  // long enough to be seen in its midst
    growing = *appended(std::move(growing), std::move(next));
    if (!save_family(own(), growing)) ::_exit(1);
    if (growing.findings.size() == 60) ::pause();
  }
  int whole = 0;
  constexpr int looks = 20;
  for (int look = 0; look < looks; ++look) whole += load_families(own()) ? 1 : 0;
  while (load_families(own())->back().knowledge.findings.size() < 3) ::usleep(1000);
  ::kill(writer, SIGKILL);
  int end = 0;
  ASSERT_EQ(::waitpid(writer, &end, 0), writer);
  EXPECT_TRUE(WIFSIGNALED(end)) << "the writer failed by itself";
  EXPECT_EQ(whole, looks);
  const auto left = load_families(own());
  ASSERT_TRUE(left) << left.error().cause;
  EXPECT_THAT(rewrites_of_history(family(), left->back().knowledge), IsEmpty());
}

}  // namespace
}  // namespace hone
