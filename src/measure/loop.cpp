#include "measure/loop.h"

#include <algorithm>

namespace hone {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

// Room for a run by duration. No inference takes less than this; what is reserved and not used is
// address space and not memory.
constexpr Nanoseconds shortest_iteration{200};

class Loop {
 public:
  Loop(const std::function<Status()>& run, const LoopHooks& hooks, const Clock& clock)
      : run_(run), hooks_(hooks), clock_(clock) {}

  bool is_stopped() const { return hooks_.stop != nullptr && hooks_.stop->load(relaxed); }
  Nanoseconds now() const { return clock_(); }
  // When the last iteration ended; saves a look at the clock.
  Nanoseconds last_end() const { return last_end_; }

  Result<Nanoseconds> next() {
    if (hooks_.prepare) HONE_TRY_DO(hooks_.prepare(index_));
    ++index_;
    const Nanoseconds start = clock_();
    Status status = run_();
    last_end_ = clock_();
    if (!status) return fail(std::move(status).error());
    return last_end_ - start;
  }

 private:
  const std::function<Status()>& run_;
  const LoopHooks& hooks_;
  const Clock& clock_;
  std::uint64_t index_ = 0;
  Nanoseconds last_end_{0};
};

Status warm_up(Loop& loop, const LoopPlan& plan, LoopMeter& meter, LoopSamples& samples) {
  for (std::uint64_t i = 0; i < plan.warmup && !loop.is_stopped(); ++i) {
    HONE_TRY(const Nanoseconds time, loop.next());
    samples.warmup.push_back(time);
    meter.warmup.store(i + 1, relaxed);
    meter.last_ns.store(time.count(), relaxed);
  }
  return done();
}

Status measure(Loop& loop, const LoopPlan& plan, LoopMeter& meter, LoopSamples& samples) {
  const std::size_t room = samples.measured.capacity();
  const bool by_time = plan.duration > Nanoseconds{0};
  const Nanoseconds start = loop.now();
  Nanoseconds total{0};
  const auto is_finished = [&] {
    const std::size_t count = samples.measured.size();
    if (!by_time) return count >= plan.iterations;
    return count > 0 && samples.elapsed >= plan.duration;
  };
  while (!is_finished()) {
    if (loop.is_stopped()) return samples.end = LoopEnd::stopped, done();
    if (samples.measured.size() == room) return samples.end = LoopEnd::out_of_room, done();
    HONE_TRY(const Nanoseconds time, loop.next());
    samples.measured.push_back(time);
    samples.elapsed = loop.last_end() - start;
    total += time;
    meter.iterations.store(samples.measured.size(), relaxed);
    meter.last_ns.store(time.count(), relaxed);
    meter.measured_ns.store(total.count(), relaxed);
  }
  return done();
}

std::uint64_t room_for(const LoopPlan& plan) {
  if (plan.duration <= Nanoseconds{0}) return plan.iterations;
  const auto most = static_cast<std::uint64_t>(plan.duration / shortest_iteration) + 1;
  return std::min(most, most_timed_samples);
}

}  // namespace

Result<LoopSamples> run_loop(const LoopPlan& plan, const std::function<Status()>& run,
                             const LoopHooks& hooks, const Clock& clock) {
  LoopSamples samples;
  samples.warmup.reserve(plan.warmup);
  samples.measured.reserve(room_for(plan));
  LoopMeter unwatched;
  LoopMeter& meter = hooks.meter == nullptr ? unwatched : *hooks.meter;

  Loop loop(run, hooks, clock);
  HONE_TRY_DO(warm_up(loop, plan, meter, samples));
  HONE_TRY_DO(measure(loop, plan, meter, samples));
  return samples;
}

}  // namespace hone
