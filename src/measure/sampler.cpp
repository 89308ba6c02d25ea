#include "measure/sampler.h"

#include <csignal>
#include <utility>

namespace hone {

Sampler::Sampler(std::chrono::milliseconds interval, std::function<void()> sample)
    : interval_(interval), sample_(std::move(sample)) {
  // A thread starts with the signal mask of the one that makes it.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Sampler::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Sampler::work() {
  auto next = std::chrono::steady_clock::now();
  while (true) {
    sample_();
    // On a fixed grid: the time a sample takes does not stretch the interval, and after a pause of
    // the machine nothing is made up for.
    const auto now = std::chrono::steady_clock::now();
    while (next <= now) next += interval_;
    std::unique_lock lock(mutex_);
    if (wake_.wait_until(lock, next, [this] { return is_stopping_; })) break;
  }
  sample_();
}

}  // namespace hone
