#include "model/weights/moments.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/elements.h"

namespace hone {
namespace {

// What fits the first-level cache as doubles. Even, so that packed 4-bit elements split at a byte.
constexpr std::size_t block_elements = 2048;

}  // namespace

// Distances from the block's first number are summed, so equal numbers have mean and deviation
// exactly; blocks are joined by the formula of Chan, Golub and LeVeque.
void Moments::add(std::span<const double> numbers) {
  double origin = 0;
  double sum = 0;
  double squares = 0;
  std::uint64_t count = 0;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    if (count == 0) origin = number;
    const double distance = number - origin;
    sum += distance;
    squares += distance * distance;
    ++count;
  }
  if (count == 0) return;
  const auto added = static_cast<double>(count);
  const double mean = origin + sum / added;
  squares = std::max(0.0, squares - sum * (sum / added));
  const auto before = static_cast<double>(count_);
  const double shift = mean - mean_;
  const double total = before + added;
  mean_ = count_ == 0 ? mean : mean_ + shift * (added / total);
  squares_ += squares + (count_ == 0 ? 0 : shift * shift * (before * added / total));
  count_ += count;
}

double Moments::deviation() const {
  return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

Result<Moments> moments_of(const Tensor& tensor) {
  HONE_TRY(std::string_view bytes, tensor.bytes());
  Moments moments;
  std::array<double, block_elements> block;
  const auto block_bytes = static_cast<std::size_t>(*bytes_of(tensor.type, block_elements));
  for (std::uint64_t left = tensor.element_count(); left > 0;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, block_elements));
    const std::span<double> numbers(block.data(), count);
    decode_elements(tensor.type, bytes, numbers);
    moments.add(numbers);
    left -= count;
    bytes.remove_prefix(std::min(bytes.size(), block_bytes));
  }
  return moments;
}

}  // namespace hone
