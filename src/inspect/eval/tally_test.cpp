#include "inspect/eval/tally.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "inspect/eval/class_figures.h"
#include "inspect/eval/intervals.h"

namespace hone {
namespace {

Unit unit_of(double score, std::vector<double> facts = {}) {
  return {.scores = {score}, .expected = {}, .got = {}, .facts = std::move(facts)};
}

const std::vector<MetricFacts> mean_alone = {{.name = "mean"}};

TEST(Tally, OfAMeanIsThatOfTheScoresThemselves) {
  Random random(1);
  std::vector<double> scores;
  std::vector<double> apart;
  Tally tally(mean_alone, true);
  for (int i = 0; i < 200; ++i) {
    scores.push_back(random.uniform());
    const double other = random.uniform();
    apart.push_back(scores.back() - other);
    const Unit reference = unit_of(other);
    tally.add(unit_of(scores.back()), &reference);
  }
  const EvalMetric metric = tally.metrics(7).front();
  const Estimate wanted = bootstrap_interval(scores, 7);
  EXPECT_NEAR(metric.model.value, wanted.value, 1e-12);
  EXPECT_NEAR(metric.model.low, wanted.low, 1e-12);
  EXPECT_NEAR(metric.model.high, wanted.high, 1e-12);
  EXPECT_NEAR(metric.difference->low, bootstrap_difference(apart, 7).low, 1e-12);
}

TEST(Tally, KeepsSumsOfNeighboursWhereThereAreManyUnits) {
  Tally tally(mean_alone, false);
  Random random(2);
  double sum = 0;
  constexpr int count = 40000;
  for (int i = 0; i < count; ++i) {
    const double score = random.uniform();
    sum += score;
    tally.add(unit_of(score), nullptr);
  }
  const Estimate model = tally.metrics(0).front().model;
  EXPECT_NEAR(model.value, sum / count, 1e-12);
  EXPECT_EQ(model.samples, static_cast<std::uint64_t>(count));
  // 1.96 standard errors of a uniform variable.
  const double half = 1.96 * std::sqrt(1.0 / 12 / count);
  EXPECT_NEAR(model.high - model.low, 2 * half, 0.2 * half);
}

TEST(Tally, OfAFigureThatIsNoMeanHasAnIntervalAndADifference) {
  Tally tally(class_metrics(), true);
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    const double expected = i % 2;
    const double own = random.uniform() < 0.9 ? expected : 1 - expected;
    const double other = random.uniform() < 0.8 ? expected : 1 - expected;
    const Unit unit{.scores = {own == expected ? 1.0 : 0, 0, 0, 0},
                    .expected = {},
                    .got = {},
                    .facts = {expected, own}};
    const Unit reference{.scores = {other == expected ? 1.0 : 0, 0, 0, 0},
                         .expected = {},
                         .got = {},
                         .facts = {expected, other}};
    tally.add(unit, &reference);
  }
  const std::vector<EvalMetric> metrics = tally.metrics(0);
  const EvalMetric& mcc = metrics[3];
  EXPECT_EQ(mcc.name, "mcc");
  EXPECT_NEAR(mcc.model.value, 0.8, 0.1);
  EXPECT_NEAR(mcc.reference->value, 0.6, 0.1);
  EXPECT_LT(mcc.model.low, mcc.model.value);
  EXPECT_GT(mcc.model.high, mcc.model.value);
  EXPECT_NEAR(mcc.difference->value, mcc.model.value - mcc.reference->value, 1e-12);
  EXPECT_GT(mcc.difference->low, 0);
  // The same models on the same units differ by nothing, in every draw.
  Tally twins(class_metrics(), true);
  for (int i = 0; i < 50; ++i) {
    const Unit unit{.scores = {1, 0, 0, 0}, .expected = {}, .got = {}, .facts = {i % 3 * 1.0, 1}};
    twins.add(unit, &unit);
  }
  const MetricDifference none = *twins.metrics(0)[1].difference;
  EXPECT_EQ(none.value, 0);
  // But fifty samples do not show that they never would.
  EXPECT_DOUBLE_EQ(none.low, tango_interval(0, 0, 50).low);
  EXPECT_DOUBLE_EQ(none.high, tango_interval(0, 0, 50).high);
}

TEST(Tally, OfMoreUnitsThanAreDrawnHasTheirSpread) {
  Tally tally(class_metrics(), false);
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double got = mix64(static_cast<std::uint64_t>(i)) % 10 < 8 ? 1 : 0;
    tally.add({.scores = {got, 0, 0, 0}, .expected = {}, .got = {}, .facts = {1, got}}, nullptr);
  }
  // F1 of class 1 where all are of it: 2 r / (1 + r), r being the share found.
  const Estimate f1 = tally.metrics(0)[2].model;
  const double r = 0.8;
  const double slope = 2 / ((1 + r) * (1 + r));
  const double half = 1.96 * slope * std::sqrt(r * (1 - r) / count);
  EXPECT_NEAR(f1.value, 2 * r / (1 + r), 0.002);
  EXPECT_NEAR(f1.high - f1.low, 2 * half, 0.3 * half);
}

}  // namespace
}  // namespace hone
