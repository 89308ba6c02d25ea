#include "inspect/debug/lanes.h"

#include <cstring>

namespace hone {
namespace {

// In registers every x64 and arm64 has, and twice as wide.
using Pair = double __attribute__((vector_size(2 * sizeof(double))));
using Quad = double __attribute__((vector_size(4 * sizeof(double))));

// What stands in the functions below is compiled for the machine of the function that calls them.
#define HONE_INLINE [[gnu::always_inline]] inline

// Branches that the processor never takes: both sides are computed, and one is chosen.
template <class Vector>
HONE_INLINE void take_lesser(const Vector& a, const Vector& b, Vector& result) {
  result = a < b ? a : b;
}
template <class Vector>
HONE_INLINE void take_greater(const Vector& a, const Vector& b, Vector& result) {
  result = a > b ? a : b;
}

template <class Vector>
HONE_INLINE void load(const double* numbers, Vector& result) {
  std::memcpy(&result, numbers, sizeof result);
}
template <class Vector>
HONE_INLINE void load(const float* numbers, Vector& result) {
  float __attribute__((vector_size(sizeof(Vector) / 2))) floats;
  std::memcpy(&floats, numbers, sizeof floats);
  result = __builtin_convertvector(floats, Vector);
}

// A part of all lanes: as many as one register holds.
template <class Vector>
struct Part {
  Vector signal, noise, cross, error, low, high;

  HONE_INLINE void read(const LaneSums& sums, std::size_t begin) {
    load(&sums.signal[begin], signal);
    load(&sums.noise[begin], noise);
    load(&sums.cross[begin], cross);
    load(&sums.error[begin], error);
    load(&sums.low[begin], low);
    load(&sums.high[begin], high);
  }
  HONE_INLINE void write(LaneSums& sums, std::size_t begin) const {
    std::memcpy(&sums.signal[begin], &signal, sizeof signal);
    std::memcpy(&sums.noise[begin], &noise, sizeof noise);
    std::memcpy(&sums.cross[begin], &cross, sizeof cross);
    std::memcpy(&sums.error[begin], &error, sizeof error);
    std::memcpy(&sums.low[begin], &low, sizeof low);
    std::memcpy(&sums.high[begin], &high, sizeof high);
  }
  HONE_INLINE void add(const Vector& given, const Vector& y, Bounds bounds) {
    // The bound comes first: of a NaN the second is what remains.
    Vector x;
    take_greater(Vector{} + bounds.low, given, x);
    take_lesser(Vector{} + bounds.high, x, x);
    const Vector difference = x - y;
    Vector size;
    take_greater(difference, -difference, size);
    signal += x * x;
    noise += difference * difference;
    cross += x * y;
    take_greater(error, size, error);
    take_lesser(low, x, low);
    take_greater(high, x, high);
  }
};

template <class Vector, class Number>
HONE_INLINE void add_lanes(std::span<const Number> x, std::span<const Number> y, Bounds bounds,
                           LaneSums& sums) {
  constexpr std::size_t width = sizeof(Vector) / sizeof(double);
  constexpr std::size_t parts = lanes / width;
  Part<Vector> part[parts];
  for (std::size_t k = 0; k < parts; ++k) part[k].read(sums, k * width);
  for (std::size_t i = 0; i < x.size(); i += lanes) {
    for (std::size_t k = 0; k < parts; ++k) {
      Vector of_x, of_y;
      load(x.data() + i + k * width, of_x);
      load(y.data() + i + k * width, of_y);
      part[k].add(of_x, of_y, bounds);
    }
  }
  for (std::size_t k = 0; k < parts; ++k) part[k].write(sums, k * width);
}

template <class Number>
void add_pairs(std::span<const Number> x, std::span<const Number> y, Bounds bounds,
               LaneSums& sums) {
  add_lanes<Pair>(x, y, bounds, sums);
}

#ifdef __x86_64__
template <class Number>
[[gnu::target("avx2")]] void add_quads(std::span<const Number> x, std::span<const Number> y,
                                       Bounds bounds, LaneSums& sums) {
  add_lanes<Quad>(x, y, bounds, sums);
}
#endif

}  // namespace

std::span<const LaneAdder> lane_adders() {
  static const std::array adders = {
      LaneAdder{"pairs", add_pairs<float>, add_pairs<double>},
#ifdef __x86_64__
      LaneAdder{"quads", add_quads<float>, add_quads<double>},
#endif
  };
  const std::span<const LaneAdder> all(adders);
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2")) return all.first(1);
#endif
  return all;
}

}  // namespace hone
