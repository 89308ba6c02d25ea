#include "base/unfinished_files.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(UnfinishedFiles, AreRemovedWhileTheyAreBeingWritten) {
  const TemporaryFolder folder = *TemporaryFolder::create("test");
  const Result<AtomicFile> file = AtomicFile::create(folder.path() / "out");
  EXPECT_FALSE(fs::is_empty(folder.path()));
  remove_unfinished_files();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(UnfinishedFiles, AFinishedFileStays) {
  const TemporaryFolder folder = *TemporaryFolder::create("test");
  ASSERT_TRUE(write_file(folder.path() / "out", "x"));
  remove_unfinished_files();
  EXPECT_TRUE(fs::exists(folder.path() / "out"));
}

TEST(UnfinishedFiles, MoreFilesThanTheListHoldsAreWrittenAllTheSame) {
  const TemporaryFolder folder = *TemporaryFolder::create("test");
  std::vector<AtomicFile> files;
  files.reserve(40);
  for (int i = 0; i < 40; ++i) {
    files.push_back(*AtomicFile::create(folder.path() / std::to_string(i)));
  }
  for (AtomicFile& file : files) ASSERT_TRUE(file.commit());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 40);
}

TEST(UnfinishedFiles, AFileThatMovedIsListedOnce) {
  const TemporaryFolder folder = *TemporaryFolder::create("test");
  const Path path = folder.path() / "kept";
  ASSERT_TRUE(write_file(path, "x"));
  {
    UnfinishedFile first(path.string());
    const UnfinishedFile second = std::move(first);
  }
  remove_unfinished_files();
  EXPECT_TRUE(fs::exists(path));
}

}  // namespace
}  // namespace hone
