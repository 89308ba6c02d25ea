#include "support/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "support/bundle_for_tests.h"
#include "support/review.h"

namespace hone {
namespace {

// What came of changing a bundle that was whole, and of reading it.
class BundleFolder : public ::testing::Test {
 protected:
  BundleFolder() { EXPECT_TRUE(write_bundle(bundle_, folder())); }

  Path folder() const { return folder_.path(); }
  void edit(const char* name, std::string_view before, std::string_view after) const {
    std::string text = *read_file(folder() / name);
    const std::size_t at = text.find(before);
    ASSERT_NE(at, std::string::npos) << name;
    text.replace(at, before.size(), after);
    ASSERT_TRUE(write_file(folder() / name, text));
  }
  // The manifest as somebody writes it who has changed a file and its hash.
  void bind_again() const {
    BundleManifest manifest = bundle_.manifest;
    for (PackageEntry& entry : manifest.files) {
      const std::string text = *read_file(folder() / entry.path);
      entry.sha256 = sha256(text).hex();
      entry.bytes = text.size();
    }
    ASSERT_TRUE(write_file(folder() / bundle_manifest_name,
                           to_document(manifest, support_schema_version).dump()));
  }
  std::vector<std::string> open_citations() const {
    std::vector<std::string> citations;
    const ReadBundle read = *read_bundle(folder());
    for (const ReviewLine& line : read.lines)
      if (line.verdict != LineVerdict::holds) citations.push_back(line.citation);
    return citations;
  }
  ReviewVerdict verdict() const { return verdict_of(read_bundle(folder())->lines); }

  TemporaryFolder folder_ = *TemporaryFolder::create("bundle");
  Bundle bundle_ = testing::good_bundle();
};

TEST_F(BundleFolder, ReadsAsItWasWritten) {
  const ReadBundle read = *read_bundle(folder());
  ASSERT_TRUE(read.bundle);
  EXPECT_EQ(to_json(read.bundle->ladder), to_json(bundle_.ladder));
  EXPECT_EQ(to_json(read.bundle->recipe), to_json(bundle_.recipe));
  EXPECT_EQ(read.bundle->manifest.files.size(), 9u);
  EXPECT_EQ(verdict(), ReviewVerdict::approve);
}

TEST_F(BundleFolder, WithAChangedByteIsRejected) {
  edit("artifacts.json", "model.onnx", "model.onnX");
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::ElementsAre("artifacts.json"));
}

TEST_F(BundleFolder, WithoutOneOfItsFilesIsRejected) {
  std::filesystem::remove(folder() / "notes.json");
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::Each("notes.json"));
}

TEST_F(BundleFolder, WithAFileNobodyListedIsRejected) {
  ASSERT_TRUE(write_file(folder() / "extra.sh", "rm"));
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::ElementsAre("extra.sh"));
}

TEST_F(BundleFolder, WithNaNInItIsRejectedEvenWhenItIsBoundAgain) {
  edit("ladder.json", "0.98", "NaN");
  bind_again();
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::ElementsAre("ladder.json"));
}

TEST_F(BundleFolder, WithNullForANumberIsRejected) {
  edit("ladder.json", "\"least_cosine\": 0.95", "\"least_cosine\": null");
  bind_again();
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
}

TEST_F(BundleFolder, WithAKeyNobodyKnowsIsRejected) {
  edit("claim.json", "\"effort\"", "\"approved\": true, \"effort\"");
  bind_again();
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::ElementsAre("claim.json"));
}

TEST_F(BundleFolder, ThatListsAPathOutsideIsRejected) {
  edit("manifest.json", "notes.json", "../notes.json");
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::Contains("../notes.json"));
}

TEST_F(BundleFolder, ThatListsAFileTwiceIsRejected) {
  edit("manifest.json", "index.json", "claim.json");
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
}

TEST_F(BundleFolder, WithALinkToSomewhereElseIsRejected) {
  std::filesystem::remove(folder() / "notes.json");
  std::filesystem::create_symlink("/etc/hostname", folder() / "notes.json");
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
}

TEST_F(BundleFolder, WithALinkIsRejectedWhereverItLeads) {
  std::filesystem::rename(folder() / "notes.json", folder() / "other.json");
  std::filesystem::create_symlink("other.json", folder() / "notes.json");
  bind_again();
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::Contains("notes.json"));
}

TEST_F(BundleFolder, WithALinkToAFolderIsRejected) {
  std::filesystem::create_directory_symlink("/etc", folder() / "etc");
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::ElementsAre("etc"));
  EXPECT_FALSE(read_bundle(folder())->bundle);
}

TEST_F(BundleFolder, WithAPipeInPlaceOfAFileIsRejectedBeforeItIsOpened) {
  for (const char* name : {"notes.json", "manifest.json"}) {
    std::filesystem::remove(folder() / name);
    ASSERT_EQ(mkfifo((folder() / name).c_str(), 0600), 0);
    EXPECT_EQ(verdict(), ReviewVerdict::reject);
    EXPECT_THAT(open_citations(), ::testing::Contains(std::string(name)));
  }
}

TEST_F(BundleFolder, WithAFileOfAnotherSizeIsRejectedWithoutReadingIt) {
  std::filesystem::resize_file(folder() / "notes.json", std::uint64_t{200} << 20);
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(read_bundle(folder())->lines,
              ::testing::Contains(
                  ::testing::Field(&ReviewLine::what, ::testing::HasSubstr("bytes instead of"))));
}

TEST_F(BundleFolder, WithMoreBytesThanAnybodyHashesIsRejected) {
  ASSERT_TRUE(write_file(folder() / "pad.bin", ""));
  std::filesystem::resize_file(folder() / "pad.bin", std::uint64_t{200} << 30);
  bundle_.manifest.files.push_back({"pad.bin", std::string(64, '0'), std::uint64_t{200} << 30});
  ASSERT_TRUE(write_file(folder() / bundle_manifest_name,
                         to_document(bundle_.manifest, support_schema_version).dump()));
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::ElementsAre("."));
}

TEST_F(BundleFolder, WithMoreFilesThanAnybodyReadsIsRejected) {
  std::filesystem::create_directory(folder() / "many");
  for (int i = 0; i <= 1000; ++i)
    ASSERT_TRUE(write_file(folder() / "many" / std::to_string(i), ""));
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::ElementsAre("."));
}

TEST_F(BundleFolder, WithAFolderThatHoldsNothingIsRejected) {
  std::filesystem::create_directories(folder() / "a/b");
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::ElementsAre("a", "a/b"));
}

TEST_F(BundleFolder, WithoutAManifestIsRejected) {
  std::filesystem::remove(folder() / bundle_manifest_name);
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  EXPECT_THAT(open_citations(), ::testing::ElementsAre("manifest.json"));
}

TEST_F(BundleFolder, ThatIsNotThereIsNoBundle) { EXPECT_FALSE(read_bundle(folder() / "nowhere")); }

}  // namespace
}  // namespace hone
