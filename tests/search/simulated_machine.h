#pragma once
// For tests: a machine whose truth is known, behind the functions that a search is handed. Arms
// differ by an option of their session, "f1" to "f20" or whatever a test invents, and the truth is
// a function of the recipe, so that combinations have one too.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>

#include "base/hash.h"
#include "measure/noise_simulator.h"
#include "measure/race.h"
#include "measure/robust.h"
#include "search/search.h"

namespace hone {

// What is true of a recipe.
struct SimulatedArm {
  double effect = 0;  // in ln t against the baseline
  std::optional<Error> build_error{};
  std::optional<Error> run_error{};
  CheckVerdict numerics = CheckVerdict::pass;
  CheckVerdict accuracy = CheckVerdict::pass;
  double accuracy_value = 0.9;
  std::string bytes{};  // what the build makes; empty: bytes of its own
};

inline Recipe recipe_with(const std::vector<std::string>& options) {
  Recipe recipe;
  for (const std::string& option : options) recipe.session.options[option] = "1";
  return recipe;
}

inline Hypothesis hypothesis_of(const std::string& id, const std::string& dimension,
                                double priority = 0) {
  Hypothesis made;
  made.id = id;
  made.dimension = dimension;
  made.title = id;
  made.priority = priority;
  made.recipe = id == "baseline" ? Recipe() : recipe_with({id});
  return made;
}

inline bool has(const Recipe& recipe, const std::string& option) {
  return recipe.session.options.contains(option);
}

class SimulatedMachine {
 public:
  using Truth = std::function<SimulatedArm(const Recipe&)>;
  explicit SimulatedMachine(Truth truth, NoiseModel noise = quiet())
      : truth_(std::move(truth)), noise_(noise) {}

  static NoiseModel quiet() {
    return {.noise = 0.005, .spike_rate = 0.01, .session_effect = 0.004};
  }

  std::map<std::string, int> calls;  // of each step, by what it is of
  int steps = 0;                     // all calls together
  int blocks = 0;
  std::map<std::string, int> blocks_of;  // by option, "" for the baseline
  std::function<void()> after_step = [] {};
  std::function<Status(std::size_t round)> before_round = [](std::size_t) { return done(); };
  std::atomic<bool> stop{false};
  double now = 0;
  // What things take, in seconds of the machine's own clock.
  double build_s = 1;
  double check_s = 1;
  double open_s = 0;     // of an arm in a session
  double block_s = 0.1;  // of the baseline
  double close_s = 1;    // of a session

  SearchTools tools() {
    SearchTools made;
    made.build = [this](const Recipe& recipe, double limit_s) { return build(recipe, limit_s); };
    made.check_numerics = [this](const BuiltModel&, const Recipe& recipe, double limit_s) {
      return check("numerics", recipe, truth_(recipe).numerics, limit_s);
    };
    made.check_accuracy = [this](const BuiltModel&, const Recipe& recipe, double limit_s) {
      return check("accuracy", recipe, truth_(recipe).accuracy, limit_s);
    };
    made.run_session = [this](const SessionOrder& order, const RoundSink& sink) {
      return run(order, sink);
    };
    made.judge = [](const std::vector<std::string>& names,
                    const std::vector<RacedSession>& sessions, std::size_t finals) {
      VerdictRules rules;
      rules.allows_few_sessions = true;
      rules.looks.nominal_p /= static_cast<double>((names.size() - 1) * finals);
      return judge_race(names, sessions, rules);
    };
    made.seconds = [this] { return now; };
    made.stop = &stop;
    return made;
  }

 private:
  static std::string name_of_recipe(const Recipe& recipe) {
    std::string name;
    for (const auto& [option, ignored] : recipe.session.options)
      name += (name.empty() ? "" : "+") + option;
    return name;
  }

  // False when it is ended at its limit.
  bool count(const std::string& step, double cost_s, double limit_s = unlimited_s) {
    ++calls[step];
    ++steps;
    now += std::min(cost_s, limit_s);
    after_step();
    return cost_s <= limit_s;
  }

  static Failure late() { return fail(Fault::timeout, "stopped at its time limit"); }

  Result<BuiltModel> build(const Recipe& recipe, double limit_s) {
    const SimulatedArm arm = truth_(recipe);
    if (!count("build " + name_of_recipe(recipe), build_s, limit_s)) return late();
    if (arm.build_error) return fail(*arm.build_error);
    BuiltModel built;
    built.model = name_of_recipe(recipe) + ".onnx";
    built.sha256 = sha256(arm.bytes.empty() ? built.model : arm.bytes).hex();
    return built;
  }

  Result<AccuracyCheck> check(const std::string& step, const Recipe& recipe, CheckVerdict verdict,
                              double limit_s) {
    if (!count(step + " " + name_of_recipe(recipe), check_s, limit_s)) return late();
    AccuracyCheck check;
    check.verdict = verdict;
    check.metric = "exact";
    if (verdict != CheckVerdict::blocked) check.value = truth_(recipe).accuracy_value;
    if (verdict != CheckVerdict::pass) check.reason = "the simulated check says no";
    return check;
  }

  double normal(Random& random) const {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.uniform());
  }

  // One stream of time that all arms take turns in, and a level of its own for each worker.
  Result<RacedSession> run(const SessionOrder& order, const RoundSink& sink) {
    constexpr std::size_t iterations = 5;
    const std::span<const SearchArmRun> arms = order.arms;
    const std::size_t rounds = order.rounds;
    const double end = now + order.limit_s;
    Random random(mix64(order.seed));
    NoiseModel shared = noise_;
    shared.session_effect = 0;
    const auto stream =
        NoiseSimulator(shared, random.next()).session(arms.size() * rounds * iterations);
    std::vector<double> levels;
    for (const SearchArmRun& arm : arms) {
      const SimulatedArm truth = truth_(arm.recipe);
      if (truth.run_error) return fail(*truth.run_error);
      levels.push_back(truth.effect + noise_.session_effect * normal(random));
    }
    const bool first = random.below(2) != 0;
    RacedSession session;
    now += open_s * static_cast<double>(arms.size());
    if (now > end) {
      now = end;
      return session;
    }
    std::size_t at = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      if (auto may = before_round(round); !may) return fail(may.error());
      std::vector<ArmBlock> made;
      for (std::size_t turn = 0; turn < arms.size(); ++turn) {
        const std::size_t arm = runs_backwards(round, first) ? arms.size() - 1 - turn : turn;
        std::vector<double> logs;
        for (std::size_t i = 0; i < iterations; ++i)
          logs.push_back(std::log(stream[at++] * 1e6) + levels[arm]);
        made.push_back({.arm = arm, .log_ns = median(std::move(logs)), .iterations = iterations});
        ++blocks;
        ++blocks_of[name_of_recipe(arms[arm].recipe)];
        // A block that does not fit is not begun.
        const double cost_s = block_s * std::exp(levels[arm]);
        if (now + cost_s > end) return session;
        now += cost_s;
      }
      session.rounds.push_back(made);
      if (auto taken = sink(made); !taken) return fail(taken.error());
    }
    count("session " + std::to_string(order.seed), std::min(close_s, end - now));
    return session;
  }

  Truth truth_;
  NoiseModel noise_;
};

inline SearchPlan plan_of(std::vector<Hypothesis> hypotheses) {
  SearchPlan plan;
  plan.model = "model.onnx";
  plan.model_sha256 = "0123";
  plan.environment = "here";
  plan.hypotheses = std::move(hypotheses);
  return plan;
}

inline SearchResult search_on(SimulatedMachine& machine, const SearchPlan& plan) {
  auto journal = SearchJournal::in_memory();
  EXPECT_TRUE(journal);
  auto result = search(plan, machine.tools(), *journal);
  EXPECT_TRUE(result) << result.error().what;
  return std::move(result).value();
}

inline const SearchArm* find_arm(const SearchResult& result, const std::string& id) {
  for (const SearchArm& arm : result.arms)
    if (arm.hypothesis.id == id) return &arm;
  return nullptr;
}

}  // namespace hone
