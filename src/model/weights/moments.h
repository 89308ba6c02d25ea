#pragma once
// Mean and standard deviation in one pass, of any number of numbers, without losing digits to a
// large mean.

#include <cstdint>
#include <span>

#include "model/tensor.h"

namespace hone {

class Moments {
 public:
  // Numbers that are not finite are left out: masks hold -infinity.
  void add(std::span<const double> numbers);

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  // Of the population (divided by the count); exactly 0 when all numbers are equal.
  double deviation() const;

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared distances from the mean
};

// Streams over the tensor's bytes. REQUIRES: holds_numbers(tensor.type). Fails when they are
// absent.
Result<Moments> moments_of(const Tensor& tensor);

}  // namespace hone
