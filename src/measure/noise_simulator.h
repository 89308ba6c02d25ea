#pragma once
// For tests: latencies of a machine whose truth is known. Everything works on ln t, where effects
// add: a level per session, a warm-up that fades, a drift, two clock levels, noise, and spikes.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "measure/clock.h"

namespace hone {

struct NoiseModel {
  double level_ms = 1.0;         // the median of a quiet iteration
  double noise = 0.01;           // standard deviation of ln t; 0.01 is about 1 %
  double autocorrelation = 0.0;  // of that noise from one iteration to the next, 0 to < 1

  double warmup = 0.0;             // how much slower the first iteration is: ln 3 is three times
  double warmup_iterations = 0.0;  // after so many the excess has fallen to 1/e
  std::size_t warmup_step = 0;     // or: so many iterations are slower by `warmup`, then none

  double drift = 0.0;  // what ln t gains from the first to the last iteration (a thermal ramp)

  double clock_step = 0.0;          // the slow clock level, in ln t
  double clock_change_rate = 0.0;   // the chance per iteration that the clock changes its level
  std::size_t clock_change_at = 0;  // or: one change to the slow level, at this iteration

  double spike_rate = 0.0;  // the chance that an iteration is hit
  double spike = 1.5;       // what a hit adds to ln t, on average (exponential)

  double session_effect = 0.0;  // standard deviation between sessions, of a session's level
};

class NoiseSimulator {
 public:
  // Random counts up from its seed, so that neighbouring seeds give shifted copies of one stream;
  // mixed ones do not.
  NoiseSimulator(NoiseModel model, std::uint64_t seed) : model_(model), random_(mix64(seed)) {}

  // The latencies of one fresh session, in milliseconds. `effect` is added to ln t throughout: a
  // known difference between arms.
  std::vector<double> session(std::size_t iterations, double effect = 0.0) {
    const double level = std::log(model_.level_ms) + effect + model_.session_effect * normal();
    bool is_slow = false;
    double noise = model_.noise * normal();
    std::vector<double> latencies;
    latencies.reserve(iterations);
    for (std::size_t i = 0; i < iterations; ++i) {
      if (i > 0) noise = next_noise(noise);
      if (random_.uniform() < model_.clock_change_rate) is_slow = !is_slow;
      const double value = level + noise + warmup_at(i) + clock_at(i, is_slow) + spike() +
                           model_.drift * static_cast<double>(i) / static_cast<double>(iterations);
      latencies.push_back(std::exp(value));
    }
    return latencies;
  }

  std::vector<Nanoseconds> session_in_nanoseconds(std::size_t iterations, double effect = 0.0) {
    std::vector<Nanoseconds> latencies;
    for (const double milliseconds : session(iterations, effect)) {
      latencies.emplace_back(std::llround(milliseconds * 1e6));
    }
    return latencies;
  }

 private:
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - random_.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random_.uniform());
  }
  // First-order autoregression whose variance stays that of the model.
  double next_noise(double last) {
    const double kept = model_.autocorrelation;
    return kept * last + std::sqrt(1 - kept * kept) * model_.noise * normal();
  }
  double warmup_at(std::size_t i) const {
    if (i < model_.warmup_step) return model_.warmup;
    if (model_.warmup_iterations <= 0) return 0;
    return model_.warmup * std::exp(-static_cast<double>(i) / model_.warmup_iterations);
  }
  double clock_at(std::size_t i, bool is_slow) const {
    const bool has_changed = model_.clock_change_at > 0 && i >= model_.clock_change_at;
    return is_slow || has_changed ? model_.clock_step : 0;
  }
  double spike() {
    if (random_.uniform() >= model_.spike_rate) return 0;
    return -model_.spike * std::log(1 - random_.uniform());
  }

  NoiseModel model_;
  Random random_;
};

}  // namespace hone
