#pragma once
// Processes that are killed once something is seen to have happened. No clock decides: a busy
// machine only takes longer until it happens.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/file.h"

namespace hone {

// Sets `stop`, for ProcessLimits, once `has_happened` says so. Looks until it is gone.
class StopWhen {
 public:
  explicit StopWhen(std::function<bool()> has_happened)
      : watcher_([this, has_happened = std::move(has_happened)](const std::stop_token& end) {
          while (!end.stop_requested() && !has_happened())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          if (!end.stop_requested()) stop_ = true;
        }) {}

  const std::atomic<bool>* stop() const { return &stop_; }

 private:
  std::atomic<bool> stop_ = false;
  std::jthread watcher_;  // last: it looks at the above
};

// Files and folders below a folder, which may change while they are counted.
inline std::size_t count_below(const Path& folder) {
  std::size_t count = 0;
  std::error_code problem;
  std::filesystem::recursive_directory_iterator each(folder, problem);
  while (!problem && each != std::filesystem::recursive_directory_iterator()) {
    ++count;
    each.increment(problem);
  }
  return count;
}

}  // namespace hone
