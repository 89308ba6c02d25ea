#include "knowledge/family_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "knowledge/family.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A copy of the shipped knowledge that a test may spoil.
class CitedEvidence : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(HONE_SOURCE_DIR "/model_knowledge", folder_.path(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  }
  FamilyKnowledge family(const std::string& name) const {
    return *parse_family(name, *read_file(folder_.path() / (name + ".json")));
  }
  std::vector<std::string> problems() const {
    return evidence_problems(family("ppocr"), folder_.path());
  }
  Path first_file() const { return folder_.path() / family("ppocr").findings[0].evidence[0].file; }

  TemporaryFolder folder_ = *TemporaryFolder::create("evidence");
};

TEST_F(CitedEvidence, HaveTheEvidenceThatTheyCite) {
  for (const char* name : {"bert", "mobilenet_v2", "ppocr", "resnet"}) {
    EXPECT_TRUE(has_evidence_beside(family(name))) << name;
    EXPECT_THAT(evidence_problems(family(name), folder_.path()), IsEmpty()) << name;
  }
}

TEST_F(CitedEvidence, AreFoundOutWhereEvidenceIsGone) {
  std::filesystem::remove_all(folder_.path() / "evidence/ppocr");
  EXPECT_THAT(problems(), Contains(HasSubstr("ppocr-001: evidence[0]")));
}

TEST_F(CitedEvidence, AreFoundOutWhereEvidenceIsOtherBytes) {
  ASSERT_TRUE(write_file(first_file(), "{}"));
  EXPECT_THAT(problems(), Contains(HasSubstr("is not these bytes")));
}

TEST_F(CitedEvidence, AreFoundOutWhereEvidenceIsALinkToElsewhere) {
  std::filesystem::remove(first_file());
  std::filesystem::create_symlink("/etc/passwd", first_file());
  EXPECT_THAT(problems(), Contains(HasSubstr("would leave the folder")));
}

TEST_F(CitedEvidence, AreFoundOutWhereATrialRestsOnNothing) {
  FamilyKnowledge forged = family("ppocr");
  forged.findings[1].scope.validated_on.push_back(
      {.model = "en_PP-OCRv5_rec", .precision = "fp32", .ep = "cpu"});
  forged.findings[1].scope.validated_on.back().evidence = std::string(64, 'f');
  EXPECT_THAT(evidence_problems(forged, folder_.path()),
              Contains("ppocr-002: scope.validated_on[2].evidence: no finding cites a file of "
                       "that hash"));
}

}  // namespace
}  // namespace hone
