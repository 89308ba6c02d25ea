// Cells on this machine, some at a time, each in a process of its own.

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "catalog/runner.h"

namespace hone::runners {
namespace {

// What is left to do, handed out to threads. The first cell of a model holds the others back.
class Queue {
 public:
  explicit Queue(const std::vector<CellOrder>& jobs) {
    for (const CellOrder& job : jobs) waiting_.push_back(&job);
  }

  // The next that may begin; null when there is none and none will be.
  const CellOrder* take() {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto found = std::ranges::find_if(
          waiting_, [this](const CellOrder* job) { return !leading_.contains(job->model.model); });
      if (found != waiting_.end()) {
        const CellOrder* job = *found;
        waiting_.erase(found);
        if (led_.insert(job->model.model).second) leading_.insert(job->model.model);
        return job;
      }
      if (waiting_.empty()) return nullptr;
      changed_.wait(lock);
    }
  }

  void finish(const CellOrder& job) {
    const std::scoped_lock lock(mutex_);
    leading_.erase(job.model.model);
    changed_.notify_all();
  }

  void clear() {
    const std::scoped_lock lock(mutex_);
    waiting_.clear();
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<const CellOrder*> waiting_;
  std::set<std::string> led_;      // models whose first cell was begun
  std::set<std::string> leading_;  // those where it is not over
};

CellOutcome run_one(const CellOrder& job, const RunnerSettings& settings) {
  auto outcome = settings.cells.run(job);
  if (outcome) return *std::move(outcome);
  return lost_outcome(outcome.error().what, outcome.error().cause);
}

Status run(const std::vector<CellOrder>& jobs, const RunnerSettings& settings,
           const CellSink& sink) {
  Queue queue(jobs);
  std::mutex sink_mutex;
  Status result = done();
  const auto work = [&] {
    while (const CellOrder* job = queue.take()) {
      {
        const std::scoped_lock lock(sink_mutex);
        const bool is_stopped = settings.stop != nullptr && settings.stop->load();
        if (!result || is_stopped) {
          queue.clear();
          queue.finish(*job);
          return;
        }
        settings.begins(*job);
      }
      CellOutcome outcome = run_one(*job, settings);
      queue.finish(*job);
      const std::scoped_lock lock(sink_mutex);
      if (result) result = sink(*job, std::move(outcome));
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::max<std::size_t>(settings.jobs, 1); ++i)
    threads.emplace_back(work);
  work();
  threads.clear();
  return result;
}

}  // namespace

Runner local() {
  return {.name = "local", .summary = "processes on this machine, -j at a time", .run = run};
}

}  // namespace hone::runners
