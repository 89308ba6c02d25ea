#include "base/one_line.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(OneLine, HasWhatSeveralSaid) {
  EXPECT_EQ(one_line("it failed\n  for a reason\r\n\n"), "it failed; for a reason");
  EXPECT_EQ(one_line("alone"), "alone");
  EXPECT_EQ(one_line("\n\n"), "");
}

}  // namespace
}  // namespace hone
