#include "measure/race_session.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kinds/ep.h"
#include "measure/cpu_clock.h"
#include "measure/hw/probe.h"
#include "measure/robust.h"
#include "measure/verdict.h"

namespace hone {
namespace {

constexpr std::int64_t most_settling_runs = 100'000;
// A fresh session runs for so long before it counts: arenas, caches, clocks.
constexpr Nanoseconds settling_time = std::chrono::milliseconds(100);
constexpr std::size_t largest_padding = 4096;

std::vector<double> logs_of(const WorkerBlock& block) {
  std::vector<double> logs;
  for (const std::uint64_t ns : block.samples_ns)
    logs.push_back(std::log(static_cast<double>(std::max<std::uint64_t>(ns, 1))));
  return logs;
}

bool runs_on_a_gpu(const Target& target) {
  if (target.device != "auto") return target.device == "gpu";
  const Ep* ep = find_ep(target.ep);
  return ep != nullptr && ep->devices.front() == "gpu";
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

}  // namespace

SessionShape full_shape(const RacePlan& plan) {
  return {.rounds = plan.rounds, .block_time = plan.block_time};
}

bool is_stopped(const RacePlan& plan) { return plan.stop != nullptr && plan.stop->load(); }

Nanoseconds time_left(const RacePlan& plan) {
  if (plan.deadline.count() == 0) return Nanoseconds::max();
  return plan.deadline - steady_now();
}

RaceSession::RaceSession(const RacePlan& plan, const std::vector<const RunPlan*>& arms,
                         Random& random, Shaper shaper)
    : plan_(plan), arms_(arms), random_(random), shaper_(std::move(shaper)), limits_(plan.limits) {
  limits_.stop = plan.stop;
  if (plan.deadline.count() > 0)
    limits_.until = std::chrono::steady_clock::time_point(plan.deadline);
}

Result<RacedSession> RaceSession::run(const RoundKeeper& keep_round) {
  HONE_TRY_DO(start());
  take_shape();
  const bool first = random_.below(2) != 0;
  RacedSession session;
  Nanoseconds longest{0};
  for (std::size_t round = 0; round < shape_.rounds; ++round) {
    HONE_TRY_DO(check_goes_on());
    if (round > 0 && longest > time_left(plan_)) break;
    const Nanoseconds began = steady_now();
    HONE_TRY(std::vector<ArmBlock> blocks, run_round(runs_backwards(round, first)));
    longest = std::max(longest, steady_now() - began);
    HONE_TRY_DO(keep_round(blocks));
    session.rounds.push_back(std::move(blocks));
  }
  return session;
}

// In random order, with environments of random size: both move where memory lies, which would
// otherwise favour the same arm in every session.
Status RaceSession::start() {
  order_.resize(arms_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[random_.below(i)]);
  runners_.resize(arms_.size());
  for (const std::size_t arm : order_) {
    HONE_TRY_DO(check_goes_on());
    HONE_TRY_DO(start_arm(arm));
  }
  return done();
}

Status RaceSession::start_arm(std::size_t arm) {
  const Nanoseconds began = steady_now();
  const std::string padding(random_.below(largest_padding), 'x');
  HONE_TRY(Worker worker, Worker::start(plan_.program, limits_, {{"HONE_PADDING", padding}}));
  HONE_TRY(const WorkerOpened opened, worker.open(*arms_[arm]));
  // Behind the plan's arms comes the baseline's clone.
  HONE_TRY_DO(plan_.accept(plan_.arms[arm % plan_.arms.size()].name, opened));
  // What it seems to cost until it has settled: the time may be over before.
  const Nanoseconds first_run(static_cast<std::int64_t>(opened.first_inference_ms * 1e6));
  costs_.push_back({.opening = steady_now() - began + first_run, .run = first_run});
  HONE_TRY(const Nanoseconds run, settle(worker));
  runners_[arm].emplace(Runner{.worker = std::move(worker)});
  costs_.back() = {.opening = steady_now() - began, .run = run};
  return done();
}

Status RaceSession::check_goes_on() const {
  if (is_stopped(plan_)) return fail(Fault::runtime, "the race was stopped");
  if (time_left(plan_) <= Nanoseconds{0}) return fail(Fault::timeout, "the race's time is over");
  return done();
}

Result<Nanoseconds> RaceSession::settle(Worker& worker) const {
  HONE_TRY(const WorkerBlock block,
           worker.run({.iterations = most_settling_runs, .time = settling_time}));
  return Nanoseconds(static_cast<std::int64_t>(std::exp(median(logs_of(block)))));
}

void RaceSession::take_shape() {
  shape_ = shaper_(costs_);
  for (std::size_t turn = 0; turn < order_.size(); ++turn)
    runners_[order_[turn]]->block = block_of(shape_, costs_[turn].run);
}

Result<std::vector<ArmBlock>> RaceSession::run_round(bool is_backwards) {
  std::vector<ArmBlock> blocks;
  for (std::size_t turn = 0; turn < order_.size(); ++turn) {
    const std::size_t arm = order_[is_backwards ? order_.size() - 1 - turn : turn];
    Runner& runner = *runners_[arm];
    HONE_TRY(const WorkerBlock block,
             runner.worker.run({.iterations = runner.block.runs, .warmup = runner.block.dropped}));
    blocks.push_back(summarize(arm, block));
    // What a GPU or NPU does has nothing to do with the clock of the CPU.
    if (arms_[arm]->target.ep == "cpu") blocks.back().clock_mhz = read_cpu_mhz();
    if (runs_on_a_gpu(arms_[arm]->target)) blocks.back().gpu_mhz = highest_gpu_mhz();
  }
  return blocks;
}

}  // namespace hone
