#pragma once
// What a flow tells of itself, on one line of a terminal that is printed over itself; with -v a
// line each.

#include <chrono>
#include <string>

#include "app/call.h"
#include "flow/watch.h"

namespace hone::app {

class StepProgress {
 public:
  explicit StepProgress(const Call& call) : call_(call) {}
  ~StepProgress() { end(); }
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;

  void step(const std::string& what);
  // Takes the line away, before an answer is printed.
  void end();

  // For a flow: shows what it tells. REQUIRES: this outlives it.
  Watch watch(const std::atomic<bool>* stop = nullptr);

 private:
  void count(const FlowProgress& seen);

  const Call& call_;
  std::chrono::steady_clock::time_point counted_{};
  bool is_line_open_ = false;
};

}  // namespace hone::app
