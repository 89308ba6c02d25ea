#include "inspect/eval/metrics/classes.h"

#include <cmath>
#include <map>

namespace hone {
namespace {

struct OfClass {
  double expected = 0;
  double got = 0;
  double right = 0;
};

std::map<std::uint32_t, OfClass> by_class(std::span<const ClassCount> counts) {
  std::map<std::uint32_t, OfClass> found;
  for (const ClassCount& count : counts) {
    if (count.times == 0) continue;
    const auto times = static_cast<double>(count.times);
    found[count.expected].expected += times;
    found[count.got].got += times;
    if (count.expected == count.got) found[count.got].right += times;
  }
  return found;
}

double f1_of(const OfClass& counts) {
  const double all = counts.expected + counts.got;
  return all > 0 ? 2 * counts.right / all : 0;
}

}  // namespace

double accuracy_of(std::span<const ClassCount> counts) {
  double right = 0;
  double all = 0;
  for (const ClassCount& count : counts) {
    all += static_cast<double>(count.times);
    if (count.expected == count.got) right += static_cast<double>(count.times);
  }
  return all > 0 ? right / all : 0;
}

double macro_f1(std::span<const ClassCount> counts) {
  const auto classes = by_class(counts);
  if (classes.empty()) return 0;
  double sum = 0;
  for (const auto& [number, of_class] : classes) sum += f1_of(of_class);
  return sum / static_cast<double>(classes.size());
}

double binary_f1(std::span<const ClassCount> counts, std::uint32_t positive) {
  const auto classes = by_class(counts);
  const auto found = classes.find(positive);
  return found != classes.end() ? f1_of(found->second) : 0;
}

double matthews_correlation(std::span<const ClassCount> counts) {
  double all = 0;
  double right = 0;
  double both = 0;
  double expected_squares = 0;
  double got_squares = 0;
  for (const auto& [number, of_class] : by_class(counts)) {
    all += of_class.expected;
    right += of_class.right;
    both += of_class.expected * of_class.got;
    expected_squares += of_class.expected * of_class.expected;
    got_squares += of_class.got * of_class.got;
  }
  const double square = (all * all - expected_squares) * (all * all - got_squares);
  return square > 0 ? (right * all - both) / std::sqrt(square) : 0;
}

}  // namespace hone
