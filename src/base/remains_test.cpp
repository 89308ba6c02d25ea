#include "base/remains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/killed_for_tests.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Remains : public testing::Test {
 protected:
  Path at(const std::string& name) const { return folder_.path() / name; }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }
  void leave(const std::string& name) const { std::ofstream(at(name)) << "half"; }

  TemporaryFolder folder_ = TemporaryFolder::create("remains").value();
};

TEST_F(Remains, OfAFileAreGoneOnceItIsWrittenAgain) {
  leave(".out.hone-0");
  leave(".out.hone-1");
  leave(".other.hone-0");
  ASSERT_TRUE(write_file(at("out"), "whole"));
  EXPECT_THAT(names(), ElementsAre(".other.hone-0", "out"));
  EXPECT_EQ(*read_file(at("out")), "whole");
}

TEST_F(Remains, OfAFileCanBeClearedAwayWithoutWritingIt) {
  leave(".out.hone-1");
  remove_remains(at("out"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Remains, AreNotWhatSomebodyWorksOn) {
  Result<AtomicFile> first = AtomicFile::create(at("out"));
  Result<AtomicFile> second = AtomicFile::create(at("out"));
  remove_remains(at("out"));
  EXPECT_THAT(names(), ElementsAre(".out.hone-0", ".out.hone-1"));
  ASSERT_TRUE(first->append("first") && first->commit());
  ASSERT_TRUE(second->append("second") && second->commit());
  EXPECT_EQ(*read_file(at("out")), "second");
  EXPECT_THAT(names(), ElementsAre("out"));
}

TEST_F(Remains, AreNotTheLinksAndFoldersOfOthers) {
  ASSERT_TRUE(write_file(at("kept"), "kept"));
  std::filesystem::create_symlink(at("kept"), at(".out.hone-0"));
  std::filesystem::create_directory(at(".out.hone-1"));
  ASSERT_TRUE(write_file(at("out"), "whole"));
  EXPECT_THAT(names(), ElementsAre(".out.hone-0", ".out.hone-1", "kept", "out"));
  EXPECT_EQ(*read_file(at("kept")), "kept");
}

TEST_F(Remains, OfAKilledProcessAreGoneAfterTheNextWrite) {
  HONE_SKIP_WITHOUT_TRACING();
  for (std::uint64_t step = 0;; ++step) {
    ASSERT_TRUE(write_file(at("out"), "old"));
    const auto write = [&] { return write_file(at("out"), "new").has_value(); };
    const bool was_killed = killed_at(step, write);
    EXPECT_TRUE(*read_file(at("out")) == "old" || *read_file(at("out")) == "new");
    ASSERT_TRUE(write_file(at("out"), "next"));
    EXPECT_THAT(names(), ElementsAre("out")) << "killed at step " << step;
    if (was_killed) continue;
    EXPECT_GE(step, 3u) << "it makes, writes and renames a file";
    return;
  }
}

TEST_F(Remains, OfATemporaryFolderAreGoneOnceItIsMadeAgain) {
  std::filesystem::create_directories(at(".out.hone-abcdef") / "deep");
  leave(".out.hone-abcdef/deep/file");
  const auto held = TemporaryFolder::create_in(folder_.path(), "out");
  const auto beside = TemporaryFolder::create_in(folder_.path(), "out");
  ASSERT_TRUE(held && beside);
  EXPECT_EQ(names().size(), 2u) << "that of the killed one is gone, that of the living one is not";
  EXPECT_TRUE(std::filesystem::exists(held->path()));
}

}  // namespace
}  // namespace hone
