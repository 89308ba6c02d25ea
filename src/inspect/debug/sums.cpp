#include "inspect/debug/sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "model/elements.h"

namespace hone {
namespace {

// Four sums side by side, in vector registers every x64 and arm64 has: the compiler may not reorder
// a single sum, and so every machine adds in the same order.
using Pair = double __attribute__((vector_size(2 * sizeof(double))));
constexpr std::size_t pairs = 2;
constexpr std::size_t lanes = 2 * pairs;
// Small enough to stay in the first cache while a block with NaN is looked at again.
constexpr std::size_t block = 2048;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct BlockSums {
  std::array<Pair, pairs> signal{};
  std::array<Pair, pairs> noise{};
  std::array<Pair, pairs> cross{};
  std::array<Pair, pairs> error{};
  std::array<Pair, pairs> low = {Pair{infinity, infinity}, Pair{infinity, infinity}};
  std::array<Pair, pairs> high = {Pair{-infinity, -infinity}, Pair{-infinity, -infinity}};
};

double total(const std::array<Pair, pairs>& sums) {
  return sums[0][0] + sums[0][1] + sums[1][0] + sums[1][1];
}

// Branches that the processor never takes: both sides are computed, and one is chosen.
inline Pair lesser(Pair a, Pair b) { return a < b ? a : b; }
inline Pair greater(Pair a, Pair b) { return a > b ? a : b; }

inline void add_pair(Pair given, Pair y, Bounds bounds, std::size_t k, BlockSums& sums) {
  // The bound comes first: of a NaN the second is what remains.
  const Pair x =
      lesser(Pair{bounds.high, bounds.high}, greater(Pair{bounds.low, bounds.low}, given));
  const Pair error = x - y;
  sums.signal[k] += x * x;
  sums.noise[k] += error * error;
  sums.cross[k] += x * y;
  sums.error[k] = greater(sums.error[k], greater(error, -error));
  sums.low[k] = lesser(sums.low[k], x);
  sums.high[k] = greater(sums.high[k], x);
}

template <class Number>
Pair pair_at(const Number* numbers) {
  return Pair{static_cast<double>(numbers[0]), static_cast<double>(numbers[1])};
}

// REQUIRES: a whole number of lanes.
template <class Number>
void add_lanes(std::span<const Number> x, std::span<const Number> y, Bounds bounds,
               BlockSums& result) {
  BlockSums sums = result;  // a copy may live in registers
  for (std::size_t i = 0; i < x.size(); i += lanes) {
    add_pair(pair_at(&x[i]), pair_at(&y[i]), bounds, 0, sums);
    add_pair(pair_at(&x[i + 2]), pair_at(&y[i + 2]), bounds, 1, sums);
  }
  result = sums;
}

// One number at a time, for the last ones.
template <class Number>
void add_rest(std::span<const Number> x, std::span<const Number> y, Bounds bounds,
              BlockSums& sums) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    BlockSums one;
    add_pair(Pair{} + static_cast<double>(x[i]), Pair{} + static_cast<double>(y[i]), bounds, 0,
             one);
    sums.signal[0][0] += one.signal[0][0];
    sums.noise[0][0] += one.noise[0][0];
    sums.cross[0][0] += one.cross[0][0];
    sums.error[0] = greater(sums.error[0], one.error[0]);
    sums.low[0] = lesser(sums.low[0], one.low[0]);
    sums.high[0] = greater(sums.high[0], one.high[0]);
  }
}

template <class Number>
BlockSums sums_of(std::span<const Number> x, std::span<const Number> y, Bounds bounds) {
  BlockSums sums;
  const std::size_t whole = x.size() / lanes * lanes;
  add_lanes(x.first(whole), y.first(whole), bounds, sums);
  add_rest(x.subspan(whole), y.subspan(whole), bounds, sums);
  return sums;
}

void merge(const BlockSums& sums, std::size_t elements, ErrorSums& into) {
  into.signal += total(sums.signal);
  into.noise += total(sums.noise);
  into.cross += total(sums.cross);
  for (std::size_t k = 0; k < pairs; ++k) {
    into.largest_error = std::max({into.largest_error, sums.error[k][0], sums.error[k][1]});
    into.low = std::min({into.low, sums.low[k][0], sums.low[k][1]});
    into.high = std::max({into.high, sums.high[k][0], sums.high[k][1]});
  }
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
    const BlockSums sums = sums_of(part_x, part_y, bounds);
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
