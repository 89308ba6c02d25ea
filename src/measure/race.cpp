#include "measure/race.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "measure/cpu_clock.h"
#include "measure/robust.h"

namespace hone {
namespace {

constexpr std::int64_t least_runs = 5;
constexpr std::int64_t most_runs = 100'000;
// A fresh session runs for so long before it counts: arenas, caches, clocks.
constexpr Nanoseconds settling_time = std::chrono::milliseconds(100);
// Threads of the arm that ran before may still spin for work when the next begins.
constexpr Nanoseconds switching_time = std::chrono::milliseconds(2);
constexpr std::size_t largest_padding = 4096;

struct Runner {
  Worker worker;
  std::int64_t runs = least_runs;  // in a block
  std::int64_t dropped = 1;        // before them
};

std::int64_t runs_in(Nanoseconds time, double run_ns, std::int64_t least) {
  const double count = static_cast<double>(time.count()) / std::max(run_ns, 1.0);
  return std::clamp(static_cast<std::int64_t>(std::ceil(count)), least, most_runs);
}

std::vector<double> logs_of(const WorkerBlock& block) {
  std::vector<double> logs;
  for (const std::uint64_t ns : block.samples_ns)
    logs.push_back(std::log(static_cast<double>(std::max<std::uint64_t>(ns, 1))));
  return logs;
}

ArmBlock summarize(std::uint64_t arm, const WorkerBlock& block) {
  const std::vector<double> logs = logs_of(block);
  ArmBlock made;
  made.arm = arm;
  made.iterations = logs.size();
  made.log_ns = median(logs);
  const double limit = made.log_ns + std::log(2.0);
  made.spikes =
      static_cast<std::uint64_t>(std::ranges::count_if(logs, [&](double t) { return t > limit; }));
  return made;
}

bool is_stopped(const RacePlan& plan) { return plan.stop != nullptr && plan.stop->load(); }

// One fresh worker for each arm; only one of them runs at a time.
class RaceSession {
 public:
  RaceSession(const RacePlan& plan, const std::vector<const RunPlan*>& arms, Random& random)
      : plan_(plan), arms_(arms), random_(random) {}

  Result<RacedSession> run(const RoundKeeper& keep_round) {
    HONE_TRY_DO(start());
    const bool first = random_.below(2) != 0;
    RacedSession session;
    for (std::size_t round = 0; round < plan_.rounds; ++round) {
      HONE_TRY_DO(check_goes_on());
      HONE_TRY(std::vector<ArmBlock> blocks, run_round(runs_backwards(round, first)));
      HONE_TRY_DO(keep_round(blocks));
      session.rounds.push_back(std::move(blocks));
    }
    return session;
  }

 private:
  // In random order, with environments of random size: both move where memory lies, which would
  // otherwise favour the same arm in every session.
  Status start() {
    order_.resize(arms_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = order_.size(); i > 1; --i)
      std::swap(order_[i - 1], order_[random_.below(i)]);
    runners_.resize(arms_.size());
    for (const std::size_t arm : order_) {
      HONE_TRY_DO(check_goes_on());
      const std::string padding(random_.below(largest_padding), 'x');
      HONE_TRY(Worker worker,
               Worker::start(plan_.program, plan_.limits, {{"HONE_PADDING", padding}}));
      HONE_TRY(const WorkerOpened opened, worker.open(*arms_[arm]));
      // Behind the plan's arms comes the baseline's clone.
      HONE_TRY_DO(plan_.accept(plan_.arms[arm % plan_.arms.size()].name, opened));
      runners_[arm].emplace(Runner{std::move(worker)});
      HONE_TRY_DO(settle(*runners_[arm]));
    }
    return done();
  }

  Status check_goes_on() const {
    if (!is_stopped(plan_)) return done();
    return fail(Fault::runtime, "the race was stopped");
  }

  Status settle(Runner& runner) {
    HONE_TRY(const WorkerBlock block,
             runner.worker.run({.iterations = most_runs, .time = settling_time}));
    const double run_ns = std::exp(median(logs_of(block)));
    runner.runs = runs_in(plan_.block_time, run_ns, least_runs);
    runner.dropped = runs_in(switching_time, run_ns, 1);
    return done();
  }

  Result<std::vector<ArmBlock>> run_round(bool is_backwards) {
    std::vector<ArmBlock> blocks;
    for (std::size_t turn = 0; turn < order_.size(); ++turn) {
      const std::size_t arm = order_[is_backwards ? order_.size() - 1 - turn : turn];
      Runner& runner = *runners_[arm];
      HONE_TRY(const WorkerBlock block,
               runner.worker.run({.iterations = runner.runs, .warmup = runner.dropped}));
      blocks.push_back(summarize(arm, block));
      // What a GPU or NPU does has nothing to do with the clock of the CPU.
      if (arms_[arm]->target.ep == "cpu") blocks.back().clock_mhz = read_cpu_mhz();
    }
    return blocks;
  }

  const RacePlan& plan_;
  const std::vector<const RunPlan*>& arms_;
  Random& random_;
  std::vector<std::size_t> order_;
  std::vector<std::optional<Runner>> runners_;
};

struct Differences {
  std::vector<double> time;
  std::vector<double> cycles;
};

Differences differences_of(const std::vector<RacedSession>& samples, std::uint64_t arm) {
  Differences found;
  for (const RacedSession& session : samples) {
    const auto difference = difference_in(session, 0, arm);
    if (!difference) continue;
    found.time.push_back(difference->time);
    if (difference->cycles) found.cycles.push_back(*difference->cycles);
  }
  return found;
}

std::optional<double> median_ms_of(const std::vector<RacedSession>& samples, std::uint64_t arm) {
  std::vector<double> logs;
  for (const RacedSession& session : samples) {
    for (const auto& round : session.rounds) {
      for (const ArmBlock& block : round)
        if (block.arm == arm) logs.push_back(block.log_ns);
    }
  }
  if (logs.empty()) return std::nullopt;
  return std::exp(median(std::move(logs))) / 1e6;
}

ComparedArm describe_arm(const std::string& name, const Differences& differences,
                         const VerdictRules& rules) {
  const Judgement judgement = judge(differences.time, differences.cycles, rules);
  ComparedArm arm;
  arm.name = name;
  arm.verdict = judgement.verdict;
  arm.is_worth_keeping = judgement.is_worth_keeping;
  arm.reason = judgement.reason;
  arm.ratio = std::exp(judgement.estimate.theta);
  arm.interval = {std::exp(judgement.estimate.low), std::exp(judgement.estimate.high)};
  arm.median_ratio = std::exp(judgement.estimate.centre);
  arm.sign_flip_p = judgement.sign_flip_p;
  constexpr double power = 2.8;  // 80 % of the time, at 5 %
  arm.mde = std::expm1(power * judgement.estimate.deviation /
                       std::sqrt(static_cast<double>(judgement.estimate.sessions)));
  if (judgement.more_sessions) arm.more_sessions = *judgement.more_sessions;
  if (differences.cycles.size() == differences.time.size() && !differences.cycles.empty()) {
    const double sum = std::accumulate(differences.cycles.begin(), differences.cycles.end(), 0.0);
    arm.cycles_ratio = std::exp(sum / static_cast<double>(differences.cycles.size()));
  }
  return arm;
}

void count_rounds(Comparison& comparison) {
  std::uint64_t iterations = 0;
  std::uint64_t spikes = 0;
  for (const RacedSession& session : comparison.samples) {
    comparison.pairs += session.rounds.size();
    for (const auto& round : session.rounds) {
      for (const ArmBlock& block : round) {
        iterations += block.iterations;
        spikes += block.spikes;
      }
    }
  }
  if (iterations > 0)
    comparison.spike_rate = static_cast<double>(spikes) / static_cast<double>(iterations);
}

void sum_up(Comparison& comparison) {
  if (comparison.arms.empty()) return;
  const ComparedArm& first = comparison.arms.front();
  comparison.verdict = first.verdict;
  comparison.ratio = first.ratio;
  comparison.interval = first.interval;
  comparison.mde = first.mde;
}

// Between looks the levels do not hold.
void withdraw_verdicts(Comparison& comparison, std::size_t look) {
  for (ComparedArm& arm : comparison.arms) {
    arm.verdict = Verdict::inconclusive;
    arm.is_worth_keeping = false;
    arm.is_cut = true;
    arm.reason = "it was stopped before a look";
  }
  sum_up(comparison);
  comparison.notes.emplace_back("stopped after " + std::to_string(comparison.sessions) +
                                " sessions, before the look at " + std::to_string(look));
}

}  // namespace

Comparison judge_race(const std::vector<std::string>& names,
                      const std::vector<RacedSession>& samples, const VerdictRules& rules) {
  Comparison comparison;
  comparison.baseline = names.front();
  comparison.margin = rules.margin;
  comparison.sessions = samples.size();
  comparison.samples = samples;
  comparison.baseline_ms = median_ms_of(samples, 0);
  count_rounds(comparison);
  VerdictRules with_floor = rules;
  const Differences clone = differences_of(samples, names.size());
  if (clone.time.size() >= 2) {
    comparison.noise_floor = noise_floor(clone.time);
    with_floor.noise_floor = comparison.noise_floor;
  }
  for (std::size_t arm = 1; arm < names.size(); ++arm) {
    const Differences differences = differences_of(samples, arm);
    if (differences.time.size() < 2) continue;
    comparison.arms.push_back(describe_arm(names[arm], differences, with_floor));
    comparison.arms.back().median_ms = median_ms_of(samples, arm);
  }
  sum_up(comparison);
  return comparison;
}

Result<RacedSession> race_session(const RacePlan& plan, std::uint64_t seed,
                                  const RoundKeeper& keep_round) {
  std::vector<const RunPlan*> arms;
  for (const RaceArm& arm : plan.arms) arms.push_back(&arm.plan);
  Random random(mix64(seed));
  return RaceSession(plan, arms, random).run(keep_round);
}

Result<Comparison> race(const RacePlan& plan) {
  const RoundKeeper keep_nothing = [](const std::vector<ArmBlock>&) { return done(); };
  std::vector<std::string> names;
  std::vector<const RunPlan*> arms;
  for (const RaceArm& arm : plan.arms) {
    names.push_back(arm.name);
    arms.push_back(&arm.plan);
  }
  arms.push_back(&plan.arms.front().plan);  // the clone
  Random random(mix64(plan.seed));
  std::vector<RacedSession> samples;
  Comparison comparison;
  const Nanoseconds start = steady_now();
  const auto is_over = [&] {
    const bool is_late = plan.budget.count() > 0 && steady_now() - start > plan.budget;
    return is_stopped(plan) || (is_late && samples.size() >= 2);
  };
  const std::size_t most = plan.rules.looks.sessions.back();
  for (const std::size_t look : plan.rules.looks.sessions) {
    while (samples.size() < look && !is_over()) {
      Result<RacedSession> session = RaceSession(plan, arms, random).run(keep_nothing);
      if (!session && is_stopped(plan)) break;
      if (!session) return fail(std::move(session).error());
      samples.push_back(*std::move(session));
      const Nanoseconds pace = (steady_now() - start) / static_cast<std::int64_t>(samples.size());
      plan.progress(
          {samples.size(), most, pace * static_cast<std::int64_t>(most - samples.size())});
    }
    if (samples.size() < 2)
      return fail(Fault::runtime, "the race was stopped before two sessions were complete");
    comparison = judge_race(names, samples, plan.rules);
    if (samples.size() < look) {
      withdraw_verdicts(comparison, look);
      break;
    }
    const bool are_all_settled = std::ranges::all_of(comparison.arms, [&](const ComparedArm& arm) {
      return is_settled(arm, plan.rules.margin);
    });
    if (are_all_settled || is_over()) break;
  }
  return comparison;
}

}  // namespace hone
