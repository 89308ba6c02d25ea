#include "base/bytes.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Blob, KeepsOwnedBytesAliveAfterTheOriginalIsGone) {
  Blob part;
  {
    // Short enough to live inside the string object itself, which is what moves.
    const Blob whole = Blob::own("weights");
    part = whole.slice(2, 4);
  }
  EXPECT_EQ(part.view(), "ight");
}

TEST(Blob, SlicesWithoutCopying) {
  const Blob whole = Blob::own("weights");
  EXPECT_EQ(whole.slice(3, 2).view().data(), whole.view().data() + 3);
}

TEST(Blob, OwnedBytesAreNoFile) {
  EXPECT_EQ(Blob::own("weights").backing()->file_descriptor(), -1);
}

TEST(Blob, IsEmptyByDefault) { EXPECT_TRUE(Blob().empty()); }

}  // namespace
}  // namespace hone
