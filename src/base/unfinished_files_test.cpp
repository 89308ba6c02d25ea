#include "base/unfinished_files.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/file.h"
#include "base/unfinished_folders.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// A folder that stays when somebody is interrupted.
TemporaryFolder lasting_folder() {
  TemporaryFolder folder = *TemporaryFolder::create("test");
  forget_unfinished_folder(folder.path().string());
  return folder;
}

TEST(UnfinishedFiles, AreRemovedWhileTheyAreBeingWritten) {
  const TemporaryFolder folder = lasting_folder();
  const Result<AtomicFile> file = AtomicFile::create(folder.path() / "out");
  EXPECT_FALSE(fs::is_empty(folder.path()));
  remove_unfinished_files();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(UnfinishedFiles, AFinishedFileStays) {
  const TemporaryFolder folder = lasting_folder();
  ASSERT_TRUE(write_file(folder.path() / "out", "x"));
  remove_unfinished_files();
  EXPECT_TRUE(fs::exists(folder.path() / "out"));
}

TEST(UnfinishedFiles, MoreFilesThanTheListHoldsAreWrittenAllTheSame) {
  const TemporaryFolder folder = lasting_folder();
  std::vector<AtomicFile> files;
  files.reserve(40);
  for (int i = 0; i < 40; ++i) {
    files.push_back(*AtomicFile::create(folder.path() / std::to_string(i)));
  }
  for (AtomicFile& file : files) ASSERT_TRUE(file.commit());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 40);
}

TEST(UnfinishedFiles, AFileThatMovedIsListedOnce) {
  const TemporaryFolder folder = lasting_folder();
  const Path path = folder.path() / "kept";
  ASSERT_TRUE(write_file(path, "x"));
  {
    UnfinishedFile first(path.string());
    const UnfinishedFile second = std::move(first);
  }
  remove_unfinished_files();
  EXPECT_TRUE(fs::exists(path));
}

TEST(UnfinishedFolders, AreRemovedWithAllThatIsInThem) {
  const TemporaryFolder outside = lasting_folder();
  ASSERT_TRUE(write_file(outside.path() / "kept", "x"));
  const TemporaryFolder folder = *TemporaryFolder::create("test");
  fs::create_directories(folder.path() / "deep" / "deeper");
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(write_file(folder.path() / "deep" / ("a file " + std::to_string(i)), "x"));
  ASSERT_TRUE(write_file(folder.path() / "deep" / "deeper" / ".hidden", "x"));
  fs::create_directory_symlink(outside.path(), folder.path() / "link");
  remove_unfinished_files();
  EXPECT_FALSE(fs::exists(folder.path()));
  EXPECT_TRUE(fs::exists(outside.path() / "kept")) << "a link is removed and not followed";
}

}  // namespace
}  // namespace hone
