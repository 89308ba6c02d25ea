#include "report/search/search_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/search/searches_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SearchText, ShowsTheChampionItsEvidenceAndTheArmsFromTheSlowestToTheFastest) {
  EXPECT_EQ(describe_search(won_search()), "");
}

TEST(SearchText, OfASearchWithoutAChampionSaysWhy) {
  const std::string text = describe_search(null_search());
  EXPECT_THAT(text, HasSubstr("No arm was shown to be worth keeping"));
  EXPECT_THAT(text, HasSubstr("  ships  baseline, recipe "));
  EXPECT_THAT(text, HasSubstr("false keeps: not certified: run hone doctor noise\n"));
}

TEST(SearchText, OfABlockedSearchHasNoTable) {
  EXPECT_EQ(describe_search(blocked_search()),
            "models/broken.onnx on qnn/npu\n"
            "The baseline does not run (the worker ended with signal 11), so nothing could be "
            "compared with it and nothing ships.\n"
            "  ships  nothing\n"
            "false keeps: not certified: run hone doctor noise\n");
}

TEST(SearchText, HasNeitherControlCharactersNorNumbersThatAreNone) {
  const std::string text = describe_search(hostile_search());
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf ")));
}

}  // namespace
}  // namespace hone
