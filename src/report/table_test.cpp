#include "report/table.h"

#include <gtest/gtest.h>

namespace hone::text_form {
namespace {

TEST(Tables, HaveColumnsAsWideAsTheirWidestCell) {
  EXPECT_EQ(table({{"op", "12", "x"}, {"Softmax", "7", "yy"}}, {.right = "1"}),
            "  op       12  x\n"
            "  Softmax   7  yy\n");
}

TEST(Tables, CountCharactersAndNotBytes) {
  EXPECT_EQ(table({{"é", "1"}, {"ab", "2"}}),
            "  é   1\n"
            "  ab  2\n");
}

TEST(Tables, SayHowManyRowsAreNotShown) {
  EXPECT_EQ(table({{"a"}, {"b"}, {"c"}}, {.most_rows = 1}), "  a\n  ... and 2 more\n");
}

TEST(Tables, ShowControlCharactersOfNamesInsteadOfSendingThem) {
  EXPECT_EQ(table({{"\x1b[2J"}}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace hone::text_form
