#include "measure/trace/snapshot.h"

#include <gtest/gtest.h>

#include <fstream>

namespace hone {
namespace {

class Snapshot : public testing::Test {
 protected:
  void append(std::string_view text) { std::ofstream(path_, std::ios::app) << text; }

  TemporaryFolder folder_ = *TemporaryFolder::create("snapshot");
  Path path_ = folder_.path() / "profile.csv";
};

TEST_F(Snapshot, OfAFileThatIsNotThereHasNothingFromBefore) {
  const FileSnapshot before = take_snapshot(path_);
  EXPECT_FALSE(before.exists);
  append("rows");
  EXPECT_EQ(bytes_from_before(before, take_snapshot(path_)), 0u);
}

TEST_F(Snapshot, OfAnUnchangedFileHasAllOfItFromBefore) {
  append("rows");
  const FileSnapshot before = take_snapshot(path_);
  EXPECT_EQ(bytes_from_before(before, take_snapshot(path_)), 4u);
}

TEST_F(Snapshot, TellsWhatWasAppendedFromWhatWasThere) {
  append("rows");
  const FileSnapshot before = take_snapshot(path_);
  append("more");
  EXPECT_EQ(bytes_from_before(before, take_snapshot(path_)), 4u);
  EXPECT_EQ(take_snapshot(path_).bytes, 8u);
}

TEST_F(Snapshot, TakesAFileWrittenAnewAsNew) {
  append("rows");
  const FileSnapshot before = take_snapshot(path_);
  ASSERT_TRUE(write_file(path_, "rows and more"));  // another file under the same name
  EXPECT_EQ(bytes_from_before(before, take_snapshot(path_)), 0u);
}

TEST_F(Snapshot, TakesATruncatedFileAsNew) {
  append("many rows");
  const FileSnapshot before = take_snapshot(path_);
  std::ofstream(path_, std::ios::trunc) << "few";
  EXPECT_EQ(bytes_from_before(before, take_snapshot(path_)), 0u);
}

TEST_F(Snapshot, OfAFileThatWentAwayHasNothingLeft) {
  append("rows");
  const FileSnapshot before = take_snapshot(path_);
  std::filesystem::remove(path_);
  EXPECT_EQ(bytes_from_before(before, take_snapshot(path_)), 0u);
}

}  // namespace
}  // namespace hone
