#include "report/search/search_tsv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "report/search/searches_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SearchTable, HasItsNamesAndARowForEachArm) {
  const std::string text = search_tsv(won_search());
  EXPECT_THAT(text,
              StartsWith("id\tdimension\ttarget\ttitle\trecipe_hash\toutcome\tverdict\tratio\t"
                         "low\thigh\tms\taccuracy\treason\n"
                         "baseline\tbaseline\tcpu\tThe model as it came\t"));
  EXPECT_THAT(text, HasSubstr("\tconfirmed\tfaster\t0.643\t0.629\t0.658\t18.2612\t0.978\t\n"));
  EXPECT_EQ(split(text, '\n').size(), won_search().arms.size() + 2);
}

TEST(SearchTable, TellsTheBaselinesTimeAndThatItIsTheBaseline) {
  EXPECT_THAT(search_tsv(won_search()), HasSubstr("\tbaseline\t\t\t\t\t28.4\t\t\n"));
}

TEST(SearchTable, GivesNoSpeedToAnArmThatWasRacedOut) {
  const std::string text = search_tsv(won_search());
  EXPECT_THAT(text, HasSubstr("\traced_out\t\t\t\t\t\t\t\n"));
  EXPECT_EQ(text.find("0.123456"), std::string::npos);
}

TEST(SearchTable, EveryLineHasThirteenCellsWhateverTheTextsHold) {
  SearchResult result = hostile_search();
  result.arms[1].reason = "a\tb\r\nc";
  for (const std::string& line : split(search_tsv(result), '\n')) {
    if (line.empty()) continue;
    EXPECT_EQ(split(line, '\t').size(), 13u) << line;
    EXPECT_EQ(line.find("nan"), std::string::npos) << line;
    EXPECT_EQ(line.find("null"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace hone
