#pragma once
// How far one tensor is from another, over any number of samples: six sums, whatever their size.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "base/result.h"
#include "model/tensor.h"

namespace hone {

// What a Relu or Clip leaves of numbers.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

struct ErrorSums {
  double signal = 0;  // of x^2
  double noise = 0;   // of (x - y)^2
  double cross = 0;   // of x * y
  double largest_error = 0;
  double low = std::numeric_limits<double>::infinity();  // of x
  double high = -std::numeric_limits<double>::infinity();
  std::uint64_t elements = 0;    // that count in the sums
  std::uint64_t not_finite = 0;  // that do not: NaN or infinite on one side, or on both in another
                                 // way

  // REQUIRES: as many of the one as of the other.
  void add(std::span<const float> x, std::span<const float> y, Bounds bounds = {});
  void add(std::span<const double> x, std::span<const double> y, Bounds bounds = {});
  // Tensors of the same number of elements and any type of number; x is brought within the bounds.
  Status add(const Tensor& x, const Tensor& y, Bounds bounds = {});

  bool is_exact() const { return elements > 0 && noise == 0 && not_finite == 0; }
  // Nothing where there is no noise, or no signal.
  std::optional<double> sqnr_db() const;
  std::optional<double> cosine() const;
  std::optional<double> error() const {
    return elements > 0 ? std::optional(largest_error) : std::nullopt;
  }
};

}  // namespace hone
