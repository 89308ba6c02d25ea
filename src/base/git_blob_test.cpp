#include "base/git_blob.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(GitBlobHash, IsWhatGitHashObjectSays) {
  EXPECT_EQ(GitBlobHash(0).finish(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(GitBlobHash(6).add("hello\n").finish(), "ce013625030ba8dba906f756967f9e9ca394464a");
}

TEST(GitBlobHash, DoesNotSeeHowTheBytesCame) {
  EXPECT_EQ(GitBlobHash(6).add("hel").add("").add("lo\n").finish(),
            GitBlobHash(6).add("hello\n").finish());
}

}  // namespace
}  // namespace hone
