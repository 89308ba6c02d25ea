#include "inspect/debug/range.h"

#include <algorithm>
#include <cmath>

#include "model/elements.h"

namespace hone {
namespace {

constexpr std::size_t block = 2048;

void count(double number, const HalfLimits& limits, RangeCounts& counts) {
  const double size = std::abs(number);
  if (size == 0 || !std::isfinite(size)) return;
  ++counts.numbers;
  counts.largest = std::max(counts.largest, size);
  counts.overflow += size >= limits.overflows_from ? 1 : 0;
  counts.underflow += size <= limits.underflows_to ? 1 : 0;
  counts.subnormal += size < limits.smallest_normal && size > limits.underflows_to ? 1 : 0;
}

}  // namespace

Status RangeCounts::add(const Tensor& tensor, ElementType type) {
  if (!holds_numbers(tensor.type)) return done();
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  const HalfLimits limits = half_limits(type);
  const auto bits = static_cast<std::size_t>(bits_of(tensor.type));
  std::vector<double> some;
  const std::size_t total = tensor.element_count();
  for (std::size_t begin = 0; begin < total; begin += block) {
    some.resize(std::min(block, total - begin));
    decode_elements(tensor.type, bytes.substr(begin * bits / 8), some);
    for (const double number : some) count(number, limits, *this);
  }
  return done();
}

}  // namespace hone
