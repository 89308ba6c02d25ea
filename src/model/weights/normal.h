#pragma once
// Normally distributed numbers by position: any part of a stream can be computed without the rest,
// in any order and on any number of threads, and is the same on every machine.

#include <cstdint>
#include <span>
#include <string_view>

namespace hone {

class NormalStream {
 public:
  // Streams of different seeds or names have nothing to do with each other.
  NormalStream(std::uint64_t seed, std::string_view name);

  // The numbers from position `first` on, of mean 0 and standard deviation 1, none beyond 6.3.
  // REQUIRES: first is even.
  void fill(std::uint64_t first, std::span<double> numbers) const;

 private:
  std::uint64_t key_;
};

}  // namespace hone
