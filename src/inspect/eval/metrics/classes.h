#pragma once
// Figures of a choice between classes, from how often which class was taken for which. As
// scikit-learn computes them.

#include <cstdint>
#include <span>

namespace hone {

struct ClassCount {
  std::uint32_t expected = 0;
  std::uint32_t got = 0;
  std::uint64_t times = 0;
};

double accuracy_of(std::span<const ClassCount> counts);
// The mean of F1 over the classes that were expected or given as an answer; one that was never
// right has 0.
double macro_f1(std::span<const ClassCount> counts);
// Of one class against all others.
double binary_f1(std::span<const ClassCount> counts, std::uint32_t positive);
// Matthews' correlation, for any number of classes; 0 where only one class was expected or given.
double matthews_correlation(std::span<const ClassCount> counts);

}  // namespace hone
