#include "record/enum_names.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

enum class Color { red, green };

constexpr auto enum_names(Color) {
  return std::to_array<EnumName<Color>>({{Color::red, "red"}, {Color::green, "green"}});
}

TEST(EnumNames, NameAndValueFollowFromOneList) {
  EXPECT_EQ(name_of(Color::green), "green");
  EXPECT_EQ(value_named<Color>("green"), Color::green);
}

TEST(EnumNames, AnUnknownNameHasNoValue) { EXPECT_EQ(value_named<Color>("blue"), std::nullopt); }

TEST(EnumNames, AValueOutsideTheListHasNoName) { EXPECT_EQ(name_of(static_cast<Color>(7)), ""); }

}  // namespace
}  // namespace hone
