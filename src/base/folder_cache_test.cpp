#include "base/folder_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace hone {
namespace {

class Cache : public testing::Test {
 protected:
  static std::function<Status(const Path&)> writing(std::string text) {
    return [text = std::move(text)](const Path& folder) { return write_file(folder / "a", text); };
  }
  std::size_t entries() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      count += entry.path().filename() != "" ? 1 : 0;
    }
    return count;
  }

  TemporaryFolder folder = TemporaryFolder::create("cache").value();
  Path root = folder.path() / "cache";
  FolderCache cache{root};
};

TEST_F(Cache, FindsWhatWasPutIn) {
  EXPECT_EQ(cache.find("k"), std::nullopt);
  ASSERT_TRUE(cache.put("k", writing("one")));
  EXPECT_EQ(read_file(*cache.find("k") / "a").value(), "one");
}

TEST_F(Cache, KeepsNothingOfAFailure) {
  const auto failed = cache.put("k", [](const Path& made) -> Status {
    HONE_TRY_DO(write_file(made / "a", "half"));
    return fail(Fault::runtime, "it went wrong");
  });
  EXPECT_EQ(failed.error().what, "it went wrong");
  EXPECT_EQ(cache.find("k"), std::nullopt);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Cache, GivesTheSecondTheFoldersOfTheFirst) {
  ASSERT_TRUE(cache.put("k", writing("first")));
  const auto second = cache.put("k", writing("second"));
  EXPECT_EQ(read_file(*second / "a").value(), "first");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Cache, ForgetsOnRequest) {
  ASSERT_TRUE(cache.put("k", writing("first")));
  ASSERT_TRUE(cache.forget("k"));
  EXPECT_EQ(cache.find("k"), std::nullopt);
  EXPECT_TRUE(cache.forget("k")) << "nothing there is nothing to do";
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Cache, DoesNotFindWhatWasChanged) {
  ASSERT_TRUE(cache.put("k", writing("one")));
  std::ofstream(root / "k" / "a") << "two";
  EXPECT_EQ(cache.find("k"), std::nullopt);
  EXPECT_TRUE(cache.put("k", writing("three"))) << "and a new one takes its place";
  EXPECT_EQ(read_file(*cache.find("k") / "a").value(), "three");
}

TEST_F(Cache, DoesNotFindWhatIsMissingAFile) {
  ASSERT_TRUE(cache.put("k", writing("one")));
  std::filesystem::remove(root / "k" / "a");
  EXPECT_EQ(cache.find("k"), std::nullopt);
}

TEST_F(Cache, DoesNotFollowAManifestOutOfItsFolder) {
  ASSERT_TRUE(cache.put("k", writing("one")));
  std::ofstream(root / "k" / "manifest.json") << R"({"files": {"../../x": ""}})";
  EXPECT_EQ(cache.find("k"), std::nullopt);
}

TEST_F(Cache, FindsNothingOfAProcessThatWasKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(cache.put("k", [](const Path& made) -> Status {
      static_cast<void>(write_file(made / "a", "half"));
      ::kill(::getpid(), SIGKILL);
      return done();
    }));
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(cache.find("k"), std::nullopt);
  EXPECT_EQ(entries(), 1u) << "what it left";
  EXPECT_TRUE(cache.put("k", writing("whole")));
  EXPECT_EQ(read_file(*cache.find("k") / "a").value(), "whole");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Cache, LeavesAloneWhatAnotherIsMaking) {
  ASSERT_TRUE(cache.put("k", [&](const Path& made) -> Status {
    HONE_TRY_DO(FolderCache(root).put("k", writing("faster")));
    return write_file(made / "a", "slower");
  }));
  EXPECT_EQ(read_file(*cache.find("k") / "a").value(), "faster");
}

}  // namespace
}  // namespace hone
