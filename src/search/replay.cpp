#include "search/replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "base/hash.h"
#include "base/random.h"

namespace hone {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mean_difference(const RecordedArm& arm) {
  std::vector<double> means;
  for (const std::vector<double>& rounds : arm.sessions) means.push_back(mean_of(rounds));
  return mean_of(means);
}

bool may_ship(const RecordedArm& arm) {
  return arm.built && !arm.error && arm.numerics.verdict == CheckVerdict::pass &&
         arm.accuracy.verdict == CheckVerdict::pass;
}

Failure bad_space(const std::string& why) {
  return fail(Fault::bad_input, "the recorded space cannot be replayed", why);
}

Failure not_recorded() { return fail(Fault::not_found, "the recipe is not in the recorded space"); }

// One recorded session of the arm, by lot, and rounds of it, by lot.
std::vector<double> draw(const RecordedArm& arm, std::size_t rounds, Random& random) {
  const std::vector<double>& session = arm.sessions[random.below(arm.sessions.size())];
  std::vector<double> drawn;
  for (std::size_t i = 0; i < rounds; ++i) drawn.push_back(session[random.below(session.size())]);
  return drawn;
}

// The clock of a replay: it goes on by what was recorded to take time.
class Player {
 public:
  explicit Player(const RecordedSpace& space) : space_(space) {
    for (const RecordedArm& arm : space.arms) arms_[hash_of(arm.hypothesis.recipe)] = &arm;
  }

  double seconds() const { return seconds_; }

  Result<BuiltModel> build(const Recipe& recipe) const {
    const RecordedArm* arm = find_arm(recipe);
    if (arm == nullptr) return not_recorded();
    if (!arm->built) return fail(arm->error.value_or(Error{.what = "it did not build"}));
    return *arm->built;
  }

  Result<AccuracyCheck> check(const Recipe& recipe, AccuracyCheck RecordedArm::*which) const {
    const RecordedArm* arm = find_arm(recipe);
    if (arm == nullptr) return not_recorded();
    return arm->*which;
  }

  Result<RacedSession> run(const SessionOrder& order, const RoundSink& on_round) {
    const std::span<const SearchArmRun> arms = order.arms;
    const std::size_t rounds = order.rounds;
    Random random(mix64(order.seed));
    // The baseline is what differences are from; its clone, wherever it runs, has the recorded one.
    std::vector<std::vector<double>> differences = {std::vector<double>(rounds, 0.0)};
    for (const SearchArmRun& run : arms.subspan(1)) {
      const RecordedArm* arm = find_arm(run.recipe);
      if (arm == nullptr) return not_recorded();
      if (arm->error) return fail(*arm->error);
      differences.push_back(draw(*arm, rounds, random));
    }
    RacedSession session;
    for (std::size_t round = 0; round < rounds; ++round) {
      std::vector<ArmBlock> blocks;
      for (std::size_t arm = 0; arm < differences.size(); ++arm)
        blocks.push_back(
            {.arm = arm, .log_ns = std::log(space_.baseline_ms * 1e6) + differences[arm][round]});
      seconds_ += space_.block_s * static_cast<double>(blocks.size());
      session.rounds.push_back(blocks);
      HONE_TRY_DO(on_round(blocks));
    }
    return session;
  }

 private:
  // Null when it is not recorded.
  const RecordedArm* find_arm(const Recipe& recipe) const {
    const auto found = arms_.find(hash_of(recipe));
    return found != arms_.end() ? found->second : nullptr;
  }

  const RecordedSpace& space_;
  std::map<std::string, const RecordedArm*> arms_;  // by the hash of the recipe
  double seconds_ = 0;
};

}  // namespace

Status check_space(const RecordedSpace& space) {
  if (space.arms.empty()) return bad_space("it has no baseline");
  if (!(space.baseline_ms > 0)) return bad_space("its baseline takes no time");
  for (const RecordedArm& arm : space.arms) {
    const std::string& id = arm.hypothesis.id;
    const bool runs = arm.built && !arm.error;
    if (runs && arm.sessions.empty()) return bad_space("'" + id + "' has no session");
    for (const std::vector<double>& rounds : arm.sessions) {
      if (rounds.empty()) return bad_space("'" + id + "' has a session without a round");
      if (!std::ranges::all_of(rounds, [](double value) { return std::isfinite(value); }))
        return bad_space("'" + id + "' has a difference that is no number");
    }
  }
  if (!space.arms.front().built || space.arms.front().error)
    return bad_space("its baseline does not run");
  return done();
}

SearchTools replay_tools(const RecordedSpace& space, SearchJudge judge) {
  const auto player = std::make_shared<Player>(space);
  SearchTools tools;
  tools.build = [player](const Recipe& recipe, double) { return player->build(recipe); };
  tools.check_numerics = [player](const BuiltModel&, const Recipe& recipe, double) {
    return player->check(recipe, &RecordedArm::numerics);
  };
  tools.check_accuracy = [player](const BuiltModel&, const Recipe& recipe, double) {
    return player->check(recipe, &RecordedArm::accuracy);
  };
  tools.run_session = [player](const SessionOrder& order, const RoundSink& on_round) {
    return player->run(order, on_round);
  };
  tools.judge = std::move(judge);
  tools.seconds = [player] { return player->seconds(); };
  return tools;
}

SearchPlan replay_plan(const RecordedSpace& space, std::uint64_t seed) {
  SearchPlan plan;
  plan.model = space.model;
  plan.model_sha256 = space.model_sha256;
  plan.environment = space.environment;
  plan.target = space.target;
  plan.seed = seed;
  for (const RecordedArm& arm : space.arms)
    if (arm.hypothesis.dimension != "mix") plan.hypotheses.push_back(arm.hypothesis);
  return plan;
}

double recorded_ratio(const RecordedArm& arm) { return std::exp(mean_difference(arm)); }

ReplayScore replay_score(const RecordedSpace& space, const SearchPlan& plan,
                         const SearchResult& result) {
  double best = 1;
  double champion = 1;
  for (const RecordedArm& arm : std::span(space.arms).subspan(1)) {
    if (arm.sessions.empty()) continue;
    const double ratio = recorded_ratio(arm);
    if (may_ship(arm)) best = std::min(best, ratio);
    if (result.champion == arm.hypothesis.id) champion = ratio;
  }
  const std::size_t all = space.arms.size() * plan.looks.back() * plan.confirm_rounds;
  ReplayScore score;
  score.regret = champion / best;
  score.evaluations_share = static_cast<double>(result.evaluations) / static_cast<double>(all);
  score.is_false_keep = result.champion && champion >= 1;
  return score;
}

RecordedSpace null_space(const RecordedSpace& space, std::size_t arms) {
  RecordedSpace made = space;
  made.arms.resize(1);
  RecordedArm& baseline = made.arms.front();
  const double luck = mean_difference(baseline);
  for (std::vector<double>& rounds : baseline.sessions)
    for (double& value : rounds) value -= luck;
  for (std::size_t i = 0; i < arms; ++i) {
    RecordedArm arm = made.arms.front();
    arm.hypothesis.id = "null-" + std::to_string(i + 1);
    arm.hypothesis.dimension = arm.hypothesis.id;
    arm.hypothesis.recipe.session.options["null"] = std::to_string(i + 1);
    arm.built->sha256 = sha256(arm.hypothesis.id).hex();
    arm.numerics.verdict = CheckVerdict::pass;
    arm.accuracy.verdict = CheckVerdict::pass;
    made.arms.push_back(std::move(arm));
  }
  return made;
}

}  // namespace hone
