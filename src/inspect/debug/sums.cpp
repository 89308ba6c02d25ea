#include "inspect/debug/sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "model/elements.h"

namespace hone {
namespace {

// Independent sums side by side: the compiler may not reorder one sum, but it may keep eight of
// them in vector registers.
constexpr std::size_t lanes = 8;
// Small enough to stay in the first cache while a block with NaN is looked at again.
constexpr std::size_t block = 2048;

struct Lanes {
  std::array<double, lanes> signal{}, noise{}, cross{}, other{}, error{};
  std::array<double, lanes> low, high;
  Lanes() {
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
  }
};

double total(const std::array<double, lanes>& sums) {
  double sum = 0;
  for (const double lane : sums) sum += lane;
  return sum;
}

template <class Number>
void add_lane(Lanes& sums, std::size_t lane, Number given, Number other, Bounds bounds) {
  double x = static_cast<double>(given);
  const double y = static_cast<double>(other);
  x = x < bounds.low ? bounds.low : x;
  x = x > bounds.high ? bounds.high : x;
  const double error = x - y;
  const double magnitude = std::abs(error);
  sums.signal[lane] += x * x;
  sums.noise[lane] += error * error;
  sums.cross[lane] += x * y;
  sums.other[lane] += y * y;
  sums.error[lane] = magnitude > sums.error[lane] ? magnitude : sums.error[lane];
  sums.low[lane] = x < sums.low[lane] ? x : sums.low[lane];
  sums.high[lane] = x > sums.high[lane] ? x : sums.high[lane];
}

template <class Number>
Lanes sums_of(std::span<const Number> x, std::span<const Number> y, Bounds bounds) {
  Lanes sums;
  const std::size_t whole = x.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      add_lane(sums, lane, x[i + lane], y[i + lane], bounds);
  }
  for (std::size_t i = whole; i < x.size(); ++i) add_lane(sums, 0, x[i], y[i], bounds);
  return sums;
}

void merge(const Lanes& sums, std::size_t elements, ErrorSums& into) {
  into.signal += total(sums.signal);
  into.noise += total(sums.noise);
  into.cross += total(sums.cross);
  into.other += total(sums.other);
  into.largest_error = std::max(into.largest_error, *std::ranges::max_element(sums.error));
  into.low = std::min(into.low, *std::ranges::min_element(sums.low));
  into.high = std::max(into.high, *std::ranges::max_element(sums.high));
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
    const Lanes sums = sums_of(part_x, part_y, bounds);
    const bool is_finite = std::isfinite(total(sums.noise)) && std::isfinite(total(sums.other));
    if (is_finite) {
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
  const double length = std::sqrt(signal) * std::sqrt(other);
  return length > 0 && std::isfinite(length) ? std::optional(cross / length) : std::nullopt;
}

}  // namespace hone
