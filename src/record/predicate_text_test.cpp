#include "record/predicate_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Predicate read(const std::string& text) {
  auto predicate = from_json<Predicate>(Json::parse(text).value());
  EXPECT_TRUE(predicate) << text;
  return *predicate;
}

TEST(Predicates, ReadAsASentence) {
  EXPECT_EQ(describe(read(R"({"all": [{"ep": "qnn"}, {"any": [{"op_type": "Conv", "at_least": 2},
                              {"feature": "opset", "op": ">=", "value": 21}]}]})")),
            "ep is qnn and (Conv at least 2 or opset >= 21)");
  EXPECT_EQ(describe(read(R"({"not": [{"precision": "w8a8"}]})")), "none of (precision is w8a8)");
  EXPECT_EQ(describe(Predicate{}), "always");
}

}  // namespace
}  // namespace hone
