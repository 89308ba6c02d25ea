#include "inspect/debug/sums.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "inspect/debug/lanes.h"
#include "model/elements.h"

namespace hone {
namespace {

// Small enough to stay in the first cache while a block with NaN is looked at again.
constexpr std::size_t block = 2048;

double total(const Lanes& sums) { return sums[0] + sums[1] + sums[2] + sums[3]; }

void add_whole(std::span<const float> x, std::span<const float> y, Bounds bounds, LaneSums& sums) {
  lane_adders().back().add_floats(x, y, bounds, sums);
}
void add_whole(std::span<const double> x, std::span<const double> y, Bounds bounds,
               LaneSums& sums) {
  lane_adders().back().add_doubles(x, y, bounds, sums);
}

// The last ones, which fill no lanes: one by one into the first.
template <class Number>
void add_rest(std::span<const Number> x, std::span<const Number> y, Bounds bounds, LaneSums& sums) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::array<Number, lanes> same_x, same_y;
    same_x.fill(x[i]);
    same_y.fill(y[i]);
    LaneSums one;
    add_whole(std::span<const Number>(same_x), std::span<const Number>(same_y), bounds, one);
    sums.signal[0] += one.signal[0];
    sums.noise[0] += one.noise[0];
    sums.cross[0] += one.cross[0];
    sums.error[0] = std::max(sums.error[0], one.error[0]);
    sums.low[0] = std::min(sums.low[0], one.low[0]);
    sums.high[0] = std::max(sums.high[0], one.high[0]);
  }
}

template <class Number>
LaneSums sums_of(std::span<const Number> x, std::span<const Number> y, Bounds bounds) {
  LaneSums sums;
  const std::size_t whole = x.size() / lanes * lanes;
  add_whole(x.first(whole), y.first(whole), bounds, sums);
  add_rest(x.subspan(whole), y.subspan(whole), bounds, sums);
  return sums;
}

void merge(const LaneSums& sums, std::size_t elements, ErrorSums& into) {
  into.signal += total(sums.signal);
  into.noise += total(sums.noise);
  into.cross += total(sums.cross);
  into.largest_error = std::max(into.largest_error, std::ranges::max(sums.error));
  into.low = std::min(into.low, std::ranges::min(sums.low));
  into.high = std::max(into.high, std::ranges::max(sums.high));
  into.elements += elements;
}

// One by one, for a block that holds something else than numbers. What is the same on both sides
// (a mask of minus infinity) is no loss.
template <class Number>
void add_odd(std::span<const Number> x, std::span<const Number> y, Bounds bounds, ErrorSums& into) {
  std::vector<Number> finite_x;
  std::vector<Number> finite_y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i]) && std::isfinite(y[i])) {
      finite_x.push_back(x[i]);
      finite_y.push_back(y[i]);
    } else if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i]))) {
      ++into.not_finite;
    }
  }
  merge(sums_of<Number>(finite_x, finite_y, bounds), finite_x.size(), into);
}

template <class Number>
void add_blocks(std::span<const Number> x, std::span<const Number> y, Bounds bounds,
                ErrorSums& into) {
  HONE_CHECK(x.size() == y.size());
  for (std::size_t begin = 0; begin < x.size(); begin += block) {
    const std::size_t count = std::min(block, x.size() - begin);
    const auto part_x = x.subspan(begin, count);
    const auto part_y = y.subspan(begin, count);
    const LaneSums sums = sums_of(part_x, part_y, bounds);
    // Whatever is NaN or infinite on one side makes the noise so.
    if (std::isfinite(total(sums.noise))) {
      merge(sums, count, into);
    } else {
      add_odd(part_x, part_y, bounds, into);
    }
  }
}

bool holds_floats_in_place(const Tensor& tensor) {
  return tensor.type == ElementType::float32 &&
         reinterpret_cast<std::uintptr_t>(tensor.dense.view().data()) % alignof(float) == 0;
}

std::span<const float> floats_of(const Tensor& tensor) {
  return {reinterpret_cast<const float*>(tensor.dense.view().data()),
          static_cast<std::size_t>(tensor.element_count())};
}

// The elements from `begin` on as doubles.
std::span<const double> decode(const Tensor& tensor, std::size_t begin, std::size_t count,
                               std::vector<double>& room) {
  room.resize(count);
  const auto bits = static_cast<std::size_t>(bits_of(tensor.type));
  decode_elements(tensor.type, tensor.dense.view().substr(begin * bits / 8), room);
  return room;
}

}  // namespace

void ErrorSums::add(std::span<const float> x, std::span<const float> y, Bounds bounds) {
  add_blocks(x, y, bounds, *this);
}

void ErrorSums::add(std::span<const double> x, std::span<const double> y, Bounds bounds) {
  add_blocks(x, y, bounds, *this);
}

Status ErrorSums::add(const Tensor& x, const Tensor& y, Bounds bounds) {
  const std::size_t count = x.element_count();
  if (count != y.element_count())
    return fail(Fault::bad_input, "the two sides differ in their shapes");
  if (count == 0) return done();
  if (!holds_numbers(x.type) || !holds_numbers(y.type)) {
    return fail(Fault::unsupported, "a tensor of " +
                                        name_of(holds_numbers(x.type) ? y.type : x.type) +
                                        " has no numbers to compare");
  }
  HONE_TRY_DO(x.bytes());
  HONE_TRY_DO(y.bytes());
  if (holds_floats_in_place(x) && holds_floats_in_place(y)) {
    add(floats_of(x), floats_of(y), bounds);
    return done();
  }
  std::vector<double> room_x;
  std::vector<double> room_y;
  for (std::size_t begin = 0; begin < count; begin += block) {
    const std::size_t some = std::min(block, count - begin);
    add(decode(x, begin, some, room_x), decode(y, begin, some, room_y), bounds);
  }
  return done();
}

std::optional<double> ErrorSums::sqnr_db() const {
  if (elements == 0 || noise == 0 || signal == 0) return std::nullopt;
  const double ratio = 10 * std::log10(signal / noise);
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

std::optional<double> ErrorSums::cosine() const {
  // (x - y)^2 = x^2 - 2 x y + y^2
  const double other = std::max(noise - signal + 2 * cross, 0.0);
  const double length = std::sqrt(signal) * std::sqrt(other);
  return length > 0 && std::isfinite(length) ? std::optional(cross / length) : std::nullopt;
}

}  // namespace hone
