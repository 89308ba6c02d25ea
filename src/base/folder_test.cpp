#include "base/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root() / "b/deep");
    for (const char* name : {"b/deep/file", "b/z", "b-side", "a"})
      ASSERT_TRUE(write_file(root() / name, "x"));
  }
  Path root() const { return folder_.path() / "root"; }
  static std::vector<std::string> names(const Result<std::vector<FolderEntry>>& entries) {
    std::vector<std::string> found;
    for (const FolderEntry& entry : *entries) found.push_back(entry.name);
    return found;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("folder");
};

TEST_F(AFolder, IsListedInTheOrderOfNames) {
  EXPECT_THAT(names(list_folder(root())), ElementsAre("a", "b", "b-side"));
  EXPECT_THAT(*files_in(root()), ElementsAre(root() / "a", root() / "b-side"));
}

TEST_F(AFolder, IsWalkedInTheOrderOfNames) {
  EXPECT_THAT(names(walk_folder(root())),
              ElementsAre("a", "b", "b-side", "b/deep", "b/deep/file", "b/z"));
  EXPECT_THAT(*files_below(root()),
              ElementsAre(root() / "a", root() / "b-side", root() / "b/deep/file", root() / "b/z"));
}

TEST_F(AFolder, IsNotLeftAlongALink) {
  std::filesystem::create_directory_symlink(folder_.path(), root() / "out");
  std::filesystem::create_symlink("a", root() / "same");
  std::filesystem::create_symlink("nowhere", root() / "broken");
  const auto entries = *walk_folder(root());
  const auto named = [&](const std::string& name) {
    return *std::ranges::find(entries, name, &FolderEntry::name);
  };
  EXPECT_TRUE(named("out").is_link() && named("out").is_folder());
  EXPECT_TRUE(named("same").is_link() && named("same").is_file());
  EXPECT_TRUE(named("broken").is_link());
  EXPECT_FALSE(named("broken").is_file() || named("broken").is_folder());
  EXPECT_EQ(entries.size(), 9u) << "nothing of what 'out' leads to";
  EXPECT_EQ(files_below(root())->size(), 5u) << "a link to a file counts as one";
}

TEST_F(AFolder, TellsWhatIsNeitherFileNorFolder) {
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(files_in(root())->size(), 2u);
  EXPECT_EQ(list_folder(root())->back().type, std::filesystem::file_type::fifo);
}

TEST_F(AFolder, ThatIsNotThereIsAnError) {
  for (const Path& path : {root() / "nowhere", root() / "a"}) {
    const auto entries = list_folder(path);
    ASSERT_FALSE(entries);
    EXPECT_EQ(entries.error().fault, Fault::not_found);
    EXPECT_THAT(entries.error().what, HasSubstr("cannot list '" + path.string() + "'"));
  }
}

TEST_F(AFolder, ThatCannotBeReadIsAnErrorAtAnyDepth) {
  if (::geteuid() == 0) GTEST_SKIP() << "skipped: to root every folder is readable";
  std::filesystem::permissions(root() / "b/deep", std::filesystem::perms::none);
  const auto files = files_below(root());
  std::filesystem::permissions(root() / "b/deep", std::filesystem::perms::owner_all);
  ASSERT_FALSE(files);
  EXPECT_THAT(files.error().what, HasSubstr("b/deep"));
}

TEST_F(AFolder, IsNotWalkedWithoutEnd) {
  const auto entries = walk_folder(root(), 5);
  ASSERT_FALSE(entries);
  EXPECT_EQ(entries.error().fault, Fault::bad_input);
  EXPECT_THAT(entries.error().cause, HasSubstr("more than 5 entries"));
  EXPECT_TRUE(walk_folder(root(), 6));
}

}  // namespace
}  // namespace hone
