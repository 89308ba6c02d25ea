#include "model/weights/normal.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "base/hash.h"
#include "base/random.h"
#include "base/result.h"

// A number is made from 32 random bits: a sign, and 31 bits that are the probability of a number
// still further out. The quantile function turns the probability into the number. It is a table of
// straight pieces: 64 for every halving of the probability, so that the pieces are as fine for the
// tail (2^-33, beyond 6 standard deviations) as for the middle. The table is computed with IEEE
// operations alone; a library's exp or log may differ in the last bit from machine to machine.

namespace hone {
namespace {

constexpr int octaves = 32;
constexpr int pieces_per_octave = 64;
constexpr int piece_bits = 6;
constexpr int fraction_bits = 31 - piece_bits;

struct Piece {
  float start = 0;  // at the smaller probability
  float rise = 0;   // to the larger one; negative
};

using Table = std::array<Piece, octaves * pieces_per_octave>;

// e^-y for 0 <= y < 30: the series for a small argument, then squared.
double exp_of_minus(double y) {
  const double small = -y / 64;
  double term = 1;
  double sum = 1;
  for (int k = 1; k < 20; ++k) {
    term *= small / k;
    sum += term;
  }
  for (int i = 0; i < 6; ++i) sum *= sum;
  return sum;
}

double density(double x) {
  return exp_of_minus(x * x / 2) / std::sqrt(2 * std::numbers::pi_v<double>);
}

// The probability of a number above x: 1/2 - density(x) (x + x^3/3 + x^5/(3*5) + ...).
double probability_above(double x) {
  double term = x;
  double sum = x;
  for (int k = 3; term > sum * 1e-17; k += 2) {
    term *= x * x / k;
    sum += term;
  }
  return 0.5 - density(x) * sum;
}

// Newton's method from a neighbour's value.
double quantile(double probability, double near) {
  double x = near;
  for (int i = 0; i < 4; ++i) x += (probability_above(x) - probability) / density(x);
  return x;
}

// Straight pieces between exact quantiles lie a little too far out; this makes the variance 1.
double scale_to_unit_variance(
    const std::array<double, octaves * pieces_per_octave + 1>& quantiles) {
  double variance = 0;
  for (std::size_t i = 0; i + 1 < quantiles.size(); ++i) {
    const double a = quantiles[i];
    const double b = quantiles[i + 1];
    const double probability =
        std::ldexp(2.0 / pieces_per_octave, -2 - static_cast<int>(i) / pieces_per_octave);
    variance += probability * (a * a + a * b + b * b) / 3;
  }
  return 1 / std::sqrt(variance);
}

Table make_table() {
  // Index 0 is probability 1/2; each step goes one piece further out.
  std::array<double, octaves * pieces_per_octave + 1> quantiles{};
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    const auto octave = static_cast<int>((i - 1) / pieces_per_octave);
    const auto piece = pieces_per_octave - 1 - static_cast<int>((i - 1) % pieces_per_octave);
    const double probability =
        std::ldexp(1 + static_cast<double>(piece) / pieces_per_octave, -2 - octave);
    quantiles[i] = quantile(probability, quantiles[i - 1]);
  }
  const double scale = scale_to_unit_variance(quantiles);
  Table table;
  for (std::size_t i = 0; i + 1 < quantiles.size(); ++i) {
    const std::size_t octave = i / pieces_per_octave;
    const std::size_t piece = pieces_per_octave - 1 - i % pieces_per_octave;
    const double start = quantiles[i + 1] * scale;
    table[octave * pieces_per_octave + piece] = {static_cast<float>(start),
                                                 static_cast<float>(quantiles[i] * scale - start)};
  }
  return table;
}

const Table& table() {
  static const Table made = make_table();
  return made;
}

double normal_from(const Table& pieces, std::uint32_t bits) {
  const std::uint32_t probability = bits << 1 | 1;  // in units of 2^-33, never 0
  const int octave = std::countl_zero(probability);
  const std::uint32_t normalized = probability << octave;
  const std::uint32_t index = static_cast<std::uint32_t>(octave) * pieces_per_octave +
                              ((normalized >> fraction_bits) & (pieces_per_octave - 1));
  const std::uint32_t fraction = normalized & ((1u << fraction_bits) - 1);
  const Piece& piece = pieces[index];
  const double magnitude =
      static_cast<double>(piece.start) + static_cast<double>(piece.rise) * (fraction * 0x1p-25);
  // Not a branch: a sign is as unpredictable as a coin.
  const std::uint64_t sign = std::uint64_t{bits >> 31} << 63;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) ^ sign);
}

// SplitMix64's step between states; mix64 is its output function.
constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;

}  // namespace

NormalStream::NormalStream(std::uint64_t seed, std::string_view name) : key_(0) {
  const Digest digest = Sha256().add_number(seed).add_field(name).finish();
  std::memcpy(&key_, digest.bytes.data(), sizeof key_);
}

void NormalStream::fill(std::uint64_t first, std::span<double> numbers) const {
  HONE_CHECK(first % 2 == 0);
  const Table& pieces = table();
  std::uint64_t state = key_ + first / 2 * step;
  std::size_t i = 0;
  for (; i + 1 < numbers.size(); i += 2, state += step) {
    const std::uint64_t bits = mix64(state);
    numbers[i] = normal_from(pieces, static_cast<std::uint32_t>(bits));
    numbers[i + 1] = normal_from(pieces, static_cast<std::uint32_t>(bits >> 32));
  }
  if (i < numbers.size()) {
    numbers[i] = normal_from(pieces, static_cast<std::uint32_t>(mix64(state)));
  }
}

}  // namespace hone
