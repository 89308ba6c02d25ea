#pragma once
// Calls a function again and again on a thread of its own, so that the thread that measures time
// does nothing else.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace hone {

class Sampler {
 public:
  // Samples at once, then every `interval`. Signals never arrive on this thread.
  Sampler(std::chrono::milliseconds interval, std::function<void()> sample);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler() { stop(); }

  // Takes one last sample and ends the thread; at once, however long the interval is. A second call
  // does nothing.
  void stop();

 private:
  void work();

  std::chrono::milliseconds interval_;
  std::function<void()> sample_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace hone
