#include "runtime/streams.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

struct TimedRun {
  Clock::time_point end;
  nanoseconds time{0};
};

std::uint64_t count_of(nanoseconds time) { return static_cast<std::uint64_t>(time.count()); }

Result<WorkerBlock> time_alone(const PreparedRun& stream, const StreamBlock& plan) {
  std::size_t next = plan.first;
  for (std::int64_t i = 0; i < plan.warmup; ++i) HONE_TRY_DO(stream.run(next++));
  WorkerBlock block;
  const auto began = Clock::now();
  HONE_TRY(block.samples_ns, stream.time_runs(next, plan.iterations, plan.limit));
  block.elapsed_ns = count_of(Clock::now() - began);
  return block;
}

// One block under way: what the threads share.
class Together {
 public:
  Together(const std::vector<PreparedRun>& streams, const StreamBlock& plan)
      : streams_(streams),
        plan_(plan),
        start_(static_cast<std::ptrdiff_t>(streams.size())),
        begins_(streams.size()),
        runs_(streams.size()),
        ends_(streams.size(), done()),
        left_(plan.iterations) {}

  Result<WorkerBlock> run() {
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 1; i < streams_.size(); ++i)
        threads.emplace_back([this, i] { run_stream(i); });
      run_stream(0);
    }
    for (const Status& end : ends_)
      if (!end) return fail(end.error());
    return gathered();
  }

 private:
  void run_stream(std::size_t index) {
    // A graph is captured by the thread that replays it.
    Status warm = streams_[index].capture_graphs();
    for (std::int64_t i = 0; i < plan_.warmup && warm; ++i)
      warm = streams_[index].run(sample_of(index, i));
    if (!warm) has_failed_ = true;
    start_.arrive_and_wait();
    begins_[index] = Clock::now();
    ends_[index] = warm ? time_stream(index) : std::move(warm);
    if (!ends_[index]) has_failed_ = true;
  }

  // Streams begin with different samples, as clients would.
  std::size_t sample_of(std::size_t index, std::int64_t turn) const {
    return plan_.first + index + static_cast<std::size_t>(turn);
  }

  Status time_stream(std::size_t index) {
    std::int64_t turn = plan_.warmup;
    while (!has_failed_ && (left_.fetch_sub(1) > 0 || runs_[index].empty())) {
      HONE_TRY(const std::vector<std::uint64_t> time,
               streams_[index].time_runs(sample_of(index, turn++), 1, nanoseconds::max()));
      const auto now = Clock::now();
      runs_[index].push_back({now, nanoseconds(static_cast<std::int64_t>(time.front()))});
      if (now - begins_[index] >= plan_.limit) break;
    }
    return done();
  }

  WorkerBlock gathered() const {
    std::vector<TimedRun> all;
    for (const auto& runs : runs_) all.insert(all.end(), runs.begin(), runs.end());
    std::ranges::stable_sort(all, {}, &TimedRun::end);
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(plan_.iterations, 0));
    if (all.size() > most) all.resize(most);
    WorkerBlock block;
    for (const TimedRun& run : all) block.samples_ns.push_back(count_of(run.time));
    if (!all.empty()) block.elapsed_ns = count_of(all.back().end - std::ranges::min(begins_));
    return block;
  }

  const std::vector<PreparedRun>& streams_;
  const StreamBlock& plan_;
  std::latch start_;
  std::vector<Clock::time_point> begins_;
  std::vector<std::vector<TimedRun>> runs_;
  std::vector<Status> ends_;
  std::atomic<std::int64_t> left_;
  std::atomic<bool> has_failed_ = false;
};

}  // namespace

Result<WorkerBlock> time_streams(const std::vector<PreparedRun>& streams, const StreamBlock& plan) {
  if (streams.size() == 1) return time_alone(streams.front(), plan);
  return Together(streams, plan).run();
}

}  // namespace hone
