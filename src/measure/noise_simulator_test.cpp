#include "measure/noise_simulator.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TEST(NoiseSimulator, RepeatsItselfForTheSameSeed) {
  const NoiseModel model{.spike_rate = 0.1, .session_effect = 0.01};
  EXPECT_EQ(NoiseSimulator(model, 7).session(50), NoiseSimulator(model, 7).session(50));
  EXPECT_NE(NoiseSimulator(model, 7).session(50), NoiseSimulator(model, 8).session(50));
}

TEST(NoiseSimulator, HasTheMedianAndTheSpreadAskedFor) {
  std::vector<double> latencies = NoiseSimulator({.level_ms = 4, .noise = 0.02}, 1).session(20000);
  EXPECT_NEAR(median(latencies), 4, 0.004);
  double squares = 0;
  for (double& value : latencies) squares += std::pow(std::log(value / 4), 2);
  EXPECT_NEAR(std::sqrt(squares / 20000), 0.02, 0.001);
}

TEST(NoiseSimulator, KeepsTheSpreadWhenNoiseIsCorrelated) {
  const auto latencies = NoiseSimulator({.noise = 0.02, .autocorrelation = 0.9}, 1).session(100000);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 1; i < latencies.size(); ++i) {
    squares += std::pow(std::log(latencies[i]), 2);
    products += std::log(latencies[i]) * std::log(latencies[i - 1]);
  }
  EXPECT_NEAR(std::sqrt(squares / 1e5), 0.02, 0.002);
  EXPECT_NEAR(products / squares, 0.9, 0.02);
}

TEST(NoiseSimulator, AddsWarmupDriftAndStepsWithoutNoiseExactly) {
  NoiseModel model{.noise = 0};
  model.warmup = std::log(3.0);
  model.warmup_step = 2;
  model.clock_step = std::log(2.0);
  model.clock_change_at = 4;
  const auto latencies = NoiseSimulator(model, 1).session(6);
  const std::vector<double> expected = {3, 3, 1, 1, 2, 2};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(latencies[i], expected[i], 1e-12) << i;

  const auto ramp = NoiseSimulator({.noise = 0, .drift = 0.1}, 1).session(10);
  EXPECT_NEAR(std::log(ramp[5]), 0.05, 1e-12);
}

TEST(NoiseSimulator, HitsTheShareOfIterationsAskedFor) {
  const auto latencies =
      NoiseSimulator({.noise = 0, .spike_rate = 0.05, .spike = 2}, 3).session(20000);
  const auto hits = std::ranges::count_if(latencies, [](double value) { return value > 1.0001; });
  EXPECT_NEAR(static_cast<double>(hits) / 20000, 0.05, 0.005);
}

TEST(NoiseSimulator, GivesEverySessionALevelOfItsOwn) {
  NoiseSimulator simulator({.noise = 0, .session_effect = 0.01}, 5);
  double squares = 0;
  for (int session = 0; session < 4000; ++session) {
    const auto latencies = simulator.session(2);
    EXPECT_EQ(latencies[0], latencies[1]);
    squares += std::pow(std::log(latencies[0]), 2);
  }
  EXPECT_NEAR(std::sqrt(squares / 4000), 0.01, 0.0005);
}

TEST(NoiseSimulator, AddsAKnownEffectToEveryIteration) {
  const auto base = NoiseSimulator({}, 9).session(100);
  const auto slower = NoiseSimulator({}, 9).session(100, std::log(1.02));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(slower[i] / base[i], 1.02, 1e-12);
}

}  // namespace
}  // namespace hone
