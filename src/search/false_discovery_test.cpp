#include "search/false_discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace hone {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

SearchArm compared(std::string id, double ratio, std::optional<double> p) {
  SearchArm arm;
  arm.hypothesis.id = std::move(id);
  arm.confirmed.emplace();
  arm.confirmed->ratio = ratio;
  arm.confirmed->sign_flip_p = p;
  return arm;
}

TEST(BenjaminiHochberg, GivesTheQValuesOfTheirPaper) {
  // The 15 p-values of section 4 of the paper: four are discoveries at 5 %, where Bonferroni has 3.
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const std::vector<double> q = benjamini_hochberg(p);
  EXPECT_THAT(q[0], DoubleNear(0.0015, 1e-12));
  EXPECT_THAT(q[3], DoubleNear(0.035625, 1e-12));
  EXPECT_THAT(q[4], DoubleNear(0.0603, 1e-12));
  EXPECT_EQ(std::ranges::count_if(q, [](double one) { return one <= 0.05; }), 4);
}

TEST(BenjaminiHochberg, KeepsTheOrderOfWhatItIsGiven) {
  EXPECT_THAT(benjamini_hochberg({0.5, 0.01, 0.02}),
              ElementsAre(DoubleEq(0.5), DoubleEq(0.03), DoubleEq(0.03)));
}

TEST(BenjaminiHochberg, OfASmallerPIsNeverALargerQ) {
  EXPECT_THAT(benjamini_hochberg({0.04, 0.039, 0.041}),
              ElementsAre(DoubleEq(0.041), DoubleEq(0.041), DoubleEq(0.041)));
}

TEST(BenjaminiHochberg, LeavesASingleTestAsItIs) {
  EXPECT_THAT(benjamini_hochberg({0.03}), ElementsAre(DoubleEq(0.03)));
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(BenjaminiHochberg, TakesWhatIsNoProbabilityForOne) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(benjamini_hochberg({nan, -1, 7, 0.01}),
              ElementsAre(DoubleEq(1), DoubleEq(1), DoubleEq(1), DoubleEq(0.04)));
}

TEST(FinalTests, CountAllArmsOfTheFinalAndNotTheWinnerAlone) {
  SearchResult search;
  search.arms.emplace_back();  // the baseline
  search.arms.push_back(compared("w8a8", 0.6, 0.03));
  search.arms.push_back(compared("opset-21", 0.99, 0.4));
  search.champion = "w8a8";
  const FinalTests tests = final_tests(search);
  EXPECT_THAT(tests.p, ElementsAre(0.03, 0.4));
  EXPECT_EQ(tests.champion, 0.03);
}

TEST(FinalTests, CountAnArmThatIsSurelySlowerAsNoDiscovery) {
  SearchResult search;
  search.arms.push_back(compared("hazard", 3.0, 0.001));
  EXPECT_THAT(final_tests(search).p, ElementsAre(1.0));
}

TEST(FinalTests, GiveAChampionWithoutATestNoP) {
  SearchResult search;
  search.arms.push_back(compared("w8a8", 0.6, std::nullopt));
  search.champion = "w8a8";
  EXPECT_TRUE(final_tests(search).p.empty());
  EXPECT_EQ(final_tests(search).champion, std::nullopt);
}

SweepCell searched(std::vector<double> final_p, std::optional<double> champion_p) {
  SweepCell cell;
  cell.final_p = std::move(final_p);
  if (champion_p) cell.champion = "w8a8";
  cell.p_value = champion_p;
  return cell;
}

TEST(QValues, SetAClaimAmongTheTestsOfAllCells) {
  std::vector<SweepCell> cells = {searched({0.01, 0.9}, 0.01), searched({0.5}, std::nullopt),
                                  searched({0.04}, 0.04)};
  set_q_values(cells);
  EXPECT_THAT(*cells[0].q_value, DoubleNear(0.04, 1e-12));
  EXPECT_EQ(cells[1].q_value, std::nullopt) << "nothing was kept";
  EXPECT_THAT(*cells[2].q_value, DoubleNear(0.08, 1e-12));
}

TEST(QValues, AreSetAnewWhenCellsComeIn) {
  std::vector<SweepCell> cells = {searched({0.03}, 0.03)};
  set_q_values(cells);
  EXPECT_THAT(*cells[0].q_value, DoubleNear(0.03, 1e-12));
  cells.push_back(searched({1}, std::nullopt));
  set_q_values(cells);
  EXPECT_THAT(*cells[0].q_value, DoubleNear(0.06, 1e-12));
}

TEST(QValues, AreNotGivenToAChampionWithoutATest) {
  std::vector<SweepCell> cells = {searched({0.03}, 0.03)};
  cells[0].p_value.reset();
  cells[0].q_value = 0.01;
  set_q_values(cells);
  EXPECT_EQ(cells[0].q_value, std::nullopt);
}

}  // namespace
}  // namespace hone
