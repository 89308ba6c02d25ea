#include "measure/loop.h"

#include <algorithm>

namespace hone {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

class Loop {
 public:
  Loop(const LoopPlan& plan, const RunBlock& run, const LoopHooks& hooks, const Clock& clock)
      : plan_(plan),
        run_(run),
        stop_(hooks.stop),
        deadline_(hooks.deadline),
        meter_(hooks.meter != nullptr ? *hooks.meter : unwatched_),
        clock_(clock) {}

  Result<LoopSamples> run() {
    HONE_TRY_DO(warm_up());
    HONE_TRY_DO(measure());
    return std::move(samples_);
  }

 private:
  bool is_stopped() {
    if (stop_ == nullptr || !stop_->load(relaxed)) return false;
    samples_.end = LoopEnd::stopped;
    return true;
  }

  // Whether one run more, as long as the last one, ends before `deadline`.
  bool has_time(Nanoseconds deadline) const {
    return deadline_ == Nanoseconds{0} || clock_() + last_ < deadline;
  }

  // A block that failed is the end of the loop, and no error, where it was made to fail.
  bool is_ended_from_outside() {
    if (samples_.measured.empty()) return false;
    if (is_stopped()) return true;
    if (has_time(deadline_)) return false;
    samples_.end = LoopEnd::out_of_time;
    return true;
  }

  // A block; more runs than were asked for, and none at all, are no answer.
  Result<std::vector<Nanoseconds>> next(std::uint64_t iterations, Nanoseconds time) {
    HONE_TRY(std::vector<Nanoseconds> times, run_(iterations, time));
    if (times.empty() || times.size() > iterations) {
      return fail(Fault::runtime, "the worker ran " + std::to_string(times.size()) + " of " +
                                      std::to_string(iterations) + " iterations");
    }
    last_ = times.back();
    meter_.last_ns.store(times.back().count(), relaxed);
    return times;
  }

  Status warm_up() {
    constexpr int share = 5;
    const Nanoseconds start = clock_();
    const Nanoseconds deadline = start + (deadline_ - start) / share;
    const auto is_long = [&] {
      return plan_.most_warmup > Nanoseconds{0} && clock_() - start >= plan_.most_warmup;
    };
    while (samples_.warmup.size() < plan_.warmup && has_time(deadline) && !is_long() &&
           !is_stopped()) {
      HONE_TRY(const std::vector<Nanoseconds> times,
               next(plan_.warmup - samples_.warmup.size(), block_time));
      samples_.warmup.insert(samples_.warmup.end(), times.begin(), times.end());
      meter_.warmup.store(samples_.warmup.size(), relaxed);
    }
    return done();
  }

  bool is_finished() const {
    const std::size_t count = samples_.measured.size();
    if (!is_by_time()) return count >= plan_.iterations;
    return count > 0 && samples_.elapsed >= plan_.duration;
  }
  bool is_by_time() const { return plan_.duration > Nanoseconds{0}; }

  Nanoseconds time_of_block() const {
    Nanoseconds time = block_time;
    if (is_by_time()) time = std::min(time, plan_.duration - samples_.elapsed);
    if (deadline_ > Nanoseconds{0}) time = std::min(time, deadline_ - clock_());
    return std::max(time, Nanoseconds{0});
  }

  Status measure() {
    meter_.is_warm.store(true, relaxed);
    const std::uint64_t room = is_by_time() ? most_timed_samples : plan_.iterations;
    const Nanoseconds start = clock_();
    Nanoseconds total{0};
    while (!is_finished() && !is_stopped()) {
      const std::uint64_t left = room - samples_.measured.size();
      if (left == 0) return samples_.end = LoopEnd::out_of_room, done();
      if (!samples_.measured.empty() && !has_time(deadline_))
        return samples_.end = LoopEnd::out_of_time, done();
      const Result<std::vector<Nanoseconds>> times = next(left, time_of_block());
      if (!times && is_ended_from_outside()) return done();
      if (!times) return fail(times.error());
      samples_.measured.insert(samples_.measured.end(), times->begin(), times->end());
      samples_.elapsed = clock_() - start;
      for (const Nanoseconds one : *times) total += one;
      meter_.measured_ns.store(total.count(), relaxed);
      meter_.iterations.store(samples_.measured.size(), relaxed);
    }
    return done();
  }

  const LoopPlan& plan_;
  const RunBlock& run_;
  const std::atomic<bool>* stop_;
  Nanoseconds deadline_;
  Nanoseconds last_{0};
  LoopMeter unwatched_;
  LoopMeter& meter_;
  const Clock& clock_;
  LoopSamples samples_;
};

}  // namespace

Result<LoopSamples> run_loop(const LoopPlan& plan, const RunBlock& run, const LoopHooks& hooks,
                             const Clock& clock) {
  return Loop(plan, run, hooks, clock).run();
}

}  // namespace hone
