#include "base/denormals.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone {
namespace {

float halved(float number) {
  volatile float given = number;
  volatile float half = 0.5F;
  return given * half;
}

TEST(Denormals, AreZeroInsideOfAScopeAndThemselvesOutside) {
  constexpr float least = std::numeric_limits<float>::min();
  EXPECT_GT(halved(least), 0.0F);
  {
    const DenormalScope zero(true);
    EXPECT_EQ(halved(least), 0.0F);
    {
      const DenormalScope kept(false);
      EXPECT_GT(halved(least), 0.0F);
    }
    EXPECT_EQ(halved(least), 0.0F);
  }
  EXPECT_GT(halved(least), 0.0F);
}

}  // namespace
}  // namespace hone
