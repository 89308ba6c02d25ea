#pragma once
// Work on every CPU.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace hone {

// Calls work(0) to work(count - 1), each once, on as many threads as there are CPUs. REQUIRES: no
// two of them touch the same thing.
template <class Work>
void share_out(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t cpus = std::max(std::thread::hardware_concurrency(), 1U);
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(cpus, count); ++i) helpers.emplace_back(take);
  take();
}

}  // namespace hone
