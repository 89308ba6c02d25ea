#include "inspect/eval/metrics/vectors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace hone {
namespace {

constexpr double ridge = 1;

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::uint64_t most_common(std::span<const std::uint64_t> nearest_first) {
  std::map<std::uint64_t, std::size_t> counts;
  for (const std::uint64_t kind : nearest_first) ++counts[kind];
  std::uint64_t chosen = nearest_first.front();
  for (const std::uint64_t kind : nearest_first)
    if (counts[kind] > counts[chosen]) chosen = kind;
  return chosen;
}

// A symmetric positive matrix, and what it is solved for.
class LeastSquares {
 public:
  LeastSquares(std::size_t size, std::size_t classes)
      : size_(size), classes_(classes), matrix_(size * size, 0.0), right_(size * classes, 0.0) {
    for (std::size_t i = 0; i < size; ++i) matrix_[i * size + i] = ridge;
  }

  void add(std::span<const double> row, std::size_t kind) {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix_[i * size_ + j] += row[i] * row[j];
      for (std::size_t k = 0; k < classes_; ++k)
        right_[i * classes_ + k] += k == kind ? row[i] : -row[i];
    }
  }

  // By Cholesky's decomposition; the answer takes the place of the right side.
  void solve() {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const std::span<const double> one(&matrix_[i * size_], j);
        const std::span<const double> other(&matrix_[j * size_], j);
        const double rest = matrix_[i * size_ + j] - product(one, other);
        matrix_[i * size_ + j] = i == j ? std::sqrt(rest) : rest / matrix_[j * size_ + j];
      }
    }
    for (std::size_t k = 0; k < classes_; ++k) {
      for (std::size_t i = 0; i < size_; ++i) {
        double rest = right_[i * classes_ + k];
        for (std::size_t j = 0; j < i; ++j)
          rest -= matrix_[i * size_ + j] * right_[j * classes_ + k];
        right_[i * classes_ + k] = rest / matrix_[i * size_ + i];
      }
      for (std::size_t i = size_; i-- > 0;) {
        double rest = right_[i * classes_ + k];
        for (std::size_t j = i + 1; j < size_; ++j)
          rest -= matrix_[j * size_ + i] * right_[j * classes_ + k];
        right_[i * classes_ + k] = rest / matrix_[i * size_ + i];
      }
    }
  }

  std::size_t best(std::span<const double> row) const {
    std::size_t best = 0;
    double highest = -HUGE_VAL;
    for (std::size_t k = 0; k < classes_; ++k) {
      double score = 0;
      for (std::size_t i = 0; i < size_; ++i) score += row[i] * right_[i * classes_ + k];
      if (score <= highest) continue;
      highest = score;
      best = k;
    }
    return best;
  }

 private:
  std::size_t size_;
  std::size_t classes_;
  std::vector<double> matrix_;
  std::vector<double> right_;
};

// The half that each is in: those of a class in turn. Halves by the order of the data hold other
// classes where it has them in turn: 600 articles of six topics were told right in none.
std::vector<std::size_t> halves_of(std::span<const LabelledVector> vectors) {
  std::map<std::uint64_t, std::size_t> seen;
  std::vector<std::size_t> halves;
  for (const LabelledVector& one : vectors) halves.push_back(seen[one.kind]++ % 2);
  return halves;
}

std::vector<double> with_constant(const std::vector<double>& vector) {
  std::vector<double> row = vector;
  row.push_back(1);
  return row;
}

}  // namespace

std::vector<std::uint64_t> classes_of_neighbours(std::span<const LabelledVector> vectors,
                                                 std::size_t neighbours) {
  std::vector<std::uint64_t> chosen;
  std::vector<std::size_t> others(vectors.size());
  std::vector<double> cosines(vectors.size());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (std::size_t j = 0; j < vectors.size(); ++j)
      cosines[j] = product(vectors[i].vector, vectors[j].vector);
    cosines[i] = -HUGE_VAL;
    std::iota(others.begin(), others.end(), std::size_t{0});
    const std::size_t kept = std::min(neighbours, vectors.size() - 1);
    std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(kept),
                      others.end(), [&](std::size_t a, std::size_t b) {
                        return cosines[a] != cosines[b] ? cosines[a] > cosines[b] : a < b;
                      });
    std::vector<std::uint64_t> kinds;
    for (std::size_t j = 0; j < kept; ++j) kinds.push_back(vectors[others[j]].kind);
    chosen.push_back(kinds.empty() ? vectors[i].kind + 1 : most_common(kinds));
  }
  return chosen;
}

std::vector<std::uint64_t> classes_of_planes(std::span<const LabelledVector> vectors) {
  std::vector<std::uint64_t> kinds;
  for (const LabelledVector& one : vectors) kinds.push_back(one.kind);
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  std::vector<std::uint64_t> chosen(vectors.size(), 0);
  if (vectors.empty()) return chosen;
  const std::vector<std::size_t> halves = halves_of(vectors);
  for (const std::size_t half : {0u, 1u}) {
    LeastSquares fit(vectors.front().vector.size() + 1, kinds.size());
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      if (halves[i] == half) continue;
      const auto place = std::ranges::lower_bound(kinds, vectors[i].kind);
      fit.add(with_constant(vectors[i].vector), static_cast<std::size_t>(place - kinds.begin()));
    }
    fit.solve();
    for (std::size_t i = 0; i < vectors.size(); ++i)
      if (halves[i] == half) chosen[i] = kinds[fit.best(with_constant(vectors[i].vector))];
  }
  return chosen;
}

}  // namespace hone
