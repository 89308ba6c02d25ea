#include "report/search/search_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/search/insight_html.h"
#include "report/search/searches_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// What stands in the page's data element.
std::string data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"result-data\">";
  const std::size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(SearchPage, HasASectionForEachPartOfTheResult) {
  const std::string page = search_page(won_search(), traces_of_won_search());
  for (const char* heading :
       {"Verdict", "Recipe", "Arms", "Speed and accuracy", "Where the time goes", "Insight",
        "Notes", "Environment", "Reproduce", "Raw data"})
    EXPECT_THAT(page, HasSubstr(">" + std::string(heading) + "</h2>"));
  EXPECT_THAT(page, HasSubstr("w8a8+threads-1 is 1.56 times as fast as the baseline"));
  EXPECT_THAT(page, HasSubstr("0 of 119 searches over identical candidates kept one"));
}

TEST(SearchPage, DrawsTheIntervalOfEveryComparedArmAndOfNoOther) {
  const std::string page = search_page(won_search());
  EXPECT_EQ(count_of(page, "<line class=\"interval\""), 5u);
  const std::string shown = page.substr(0, page.find("<script"));
  EXPECT_THAT(shown, Not(HasSubstr("0.123"))) << "the speed of a race is shown";
}

TEST(SearchPage, CallsAnArmBeatenOnlyWhereIntervalsShowIt) {
  SearchResult result = won_search();
  EXPECT_THAT(search_page(result), Not(HasSubstr("another is as accurate and faster")));
  result.arms[1].accuracy->value = 0.985;
  const std::string page = search_page(result);
  EXPECT_EQ(count_of(page, "another is as accurate and faster"), 2u) << "gelu-fusion, baseline";
}

TEST(SearchPage, SaysOnceWhatBecameOfManyArms) {
  SearchResult result = won_search();
  for (int i = 0; i < 19; ++i) {
    SearchArm arm = arm_for_test("slower-" + std::to_string(i), "optimize", "Try it");
    arm.outcome = ArmOutcome::raced_out;
    arm.reason = "place " + std::to_string(i + 3) + " of 21 in the race, after 2 rounds";
    result.arms.push_back(arm);
  }
  const std::string page = search_page(result);
  const std::string shown = page.substr(0, page.find("<script"));
  EXPECT_THAT(shown, HasSubstr("<strong>was raced out, 20:</strong>"));
  EXPECT_THAT(shown, HasSubstr("place 9 of 21 in the race, after 2 rounds"));
  // In the list, in the details of each arm, and for the one that has no reason.
  EXPECT_EQ(count_of(shown, "was raced out"), 1u + 20u + 1u);
}

TEST(SearchPage, DrawsNoAccuracyThatIsTheSameForAll) {
  SearchResult result = won_search();
  for (SearchArm& arm : result.arms) {
    if (!arm.accuracy) continue;
    arm.accuracy->metric = "cosine";
    arm.accuracy->value = 0.99999;
    arm.accuracy->reference = 1;
    arm.accuracy->verdict = CheckVerdict::pass;
  }
  const std::string page = search_page(result);
  EXPECT_THAT(page, Not(HasSubstr("class=\"pareto\"")));
  EXPECT_THAT(page, HasSubstr("There is nothing to trade: cosine is 1.0000 for all"));
}

TEST(SearchPage, LeavesOutWhatThereIsNothingToSayAbout) {
  const std::string page = search_page(blocked_search());
  EXPECT_THAT(page, Not(HasSubstr("id=\"accuracy\"")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"trace\"")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"recipe\"")));
  EXPECT_THAT(page, HasSubstr("the worker ended with signal 11"));
  EXPECT_THAT(page, HasSubstr("not certified: run <code>hone doctor noise</code>"));
}

TEST(SearchPage, OfASearchWithoutAChampionGivesTheBaselinesRecipe) {
  const std::string page = search_page(null_search());
  EXPECT_THAT(page, HasSubstr("<code>baseline</code>, the baseline"));
  EXPECT_THAT(page, HasSubstr("id=\"recipe-json\""));
}

TEST(SearchPage, OfAChampionThatIsNoArmSaysSo) {
  SearchResult result = null_search();
  result.champion = "ghost";
  EXPECT_THAT(search_page(result), HasSubstr("<code>ghost</code>, that is none of its arms."));
}

TEST(SearchPage, NoTextOfAResultBecomesCode) {
  const std::string page = search_page(hostile_search(), traces_of_won_search());
  EXPECT_EQ(count_of(page, "<script"), 2u);
  EXPECT_EQ(count_of(page, "<img"), 0u);
  EXPECT_EQ(count_of(page, "<svg onload"), 0u);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
}

TEST(SearchPage, NoNumberOfAPlotIsNotANumber) {
  const std::string page = search_page(hostile_search(), traces_of_won_search());
  const std::string shown = page.substr(0, page.find("<script"));
  for (const char* broken : {"nan", "inf%", "inf\"", "-inf", "NaN", "Infinity"})
    EXPECT_EQ(count_of(shown, broken), 0u) << broken;
}

TEST(SearchPage, HoldsTheWholeResult) {
  for (const SearchResult& result : {won_search(), null_search(), blocked_search()}) {
    const Json data = Json::parse(data_of(search_page(result))).value();
    EXPECT_EQ(data, to_document(result, search_schema_version));
  }
}

TEST(SearchPage, AllowsNothingButItsOwnStyleAndScript) {
  const std::string page = search_page(won_search());
  EXPECT_THAT(page, HasSubstr("content=\"default-src &#39;none&#39;; style-src &#39;sha256-"));
  EXPECT_EQ(count_of(page, "http://"), 0u);
  EXPECT_EQ(count_of(page, "https://"), 0u);
  EXPECT_EQ(count_of(page, " style=\""), 0u);
}

TEST(SearchPage, IsSmall) {
  const std::string page = search_page(won_search(), traces_of_won_search());
  EXPECT_LT(page.size() - data_of(page).size(), 64u * 1024);
}

TEST(OperatorChanges, NamesTheLargestFirst) {
  BuiltModel before, after;
  before.op_counts = {{"Erf", 12}, {"Mul", 20}, {"Add", 3}};
  after.op_counts = {{"Gelu", 12}, {"Mul", 8}, {"Add", 4}};
  EXPECT_EQ(operator_changes(before, after), "Erf -12, Gelu +12, Mul -12, Add +1");
  EXPECT_EQ(operator_changes(before, before), "");
  EXPECT_EQ(operator_changes({}, after), "");
}

}  // namespace
}  // namespace hone
