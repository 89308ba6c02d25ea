#include "base/replace_folder.h"

#include <gtest/gtest.h>

#include "base/killed_for_tests.h"

namespace hone {
namespace {

class ReplacedFolder : public testing::Test {
 protected:
  void make(const char* name, const std::string& text) const {
    std::filesystem::create_directories(at(name) / "inner");
    for (const char* file : {"a", "inner/b"}) ASSERT_TRUE(write_file(at(name) / file, text));
  }
  Path at(const char* name) const { return folder_.path() / name; }
  // What both of its files say; empty where they differ or one is missing.
  std::string said_in(const char* name) const {
    const auto first = read_file(at(name) / "a");
    const auto second = read_file(at(name) / "inner/b");
    return first && second && *first == *second ? *first : "";
  }

  TemporaryFolder folder_ = TemporaryFolder::create("replace").value();
};

TEST_F(ReplacedFolder, IsTheNewOneAndNothingElseIsLeft) {
  make("place", "old");
  make("made", "new");
  ASSERT_TRUE(write_file(at("place") / "more", "of the old one"));
  ASSERT_TRUE(replace_folder(at("made"), at("place")));
  EXPECT_EQ(said_in("place"), "new");
  EXPECT_FALSE(std::filesystem::exists(at("place") / "more"));
  EXPECT_FALSE(std::filesystem::exists(at("made")));
}

TEST_F(ReplacedFolder, NeedNotBeThere) {
  make("made", "new");
  ASSERT_TRUE(replace_folder(at("made"), at("place")));
  EXPECT_EQ(said_in("place"), "new");
}

TEST_F(ReplacedFolder, ThatCannotBeMadeIsAnError) {
  const Status replaced = replace_folder(at("nothing"), at("nowhere") / "place");
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().what,
            "cannot replace the folder '" + (at("nowhere") / "place").string() + "'");
}

TEST_F(ReplacedFolder, IsTheOldOrTheNewOneWheneverWeAreKilled) {
  HONE_SKIP_WITHOUT_TRACING();
  for (std::uint64_t step = 0;; ++step) {
    std::filesystem::remove_all(at("made"));
    std::filesystem::remove_all(at("place"));
    make("place", "old");
    make("made", "new");
    const bool was_killed =
        killed_at(step, [&] { return replace_folder(at("made"), at("place")).has_value(); });
    EXPECT_TRUE(said_in("place") == "old" || said_in("place") == "new") << "step " << step;
    if (was_killed) continue;
    EXPECT_GE(step, 2u) << "it changes names, and removes files";
    return;
  }
}

TEST(DroppedFolder, IsGoneAndSoIsWhatWasLeftOfAnother) {
  const TemporaryFolder folder = TemporaryFolder::create("drop").value();
  const Path place = folder.path() / "place";
  std::filesystem::create_directories(place / "inner");
  std::filesystem::create_directories(folder.path() / "leaving" / "inner");
  ASSERT_TRUE(drop_folder(place, folder.path() / "leaving"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_TRUE(drop_folder(place, folder.path() / "leaving")) << "nothing there is nothing to do";
}

}  // namespace
}  // namespace hone
