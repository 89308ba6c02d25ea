#include "transform/quantize/histogram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace hone {
namespace {

// A bell and, now and then, a number far outside.
std::vector<float> bell_with_outliers(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (int k = 0; k < 12; ++k) sum += random.uniform();
    numbers.push_back(static_cast<float>(sum - 6));
  }
  numbers[count / 3] = 44.5F;
  return numbers;
}

RealRange range_of(const std::vector<float>& numbers) {
  const auto [low, high] = std::ranges::minmax_element(numbers);
  return {*low, *high};
}

Histogram symmetric_histogram(const std::vector<float>& numbers, std::size_t bins) {
  const RealRange seen = range_of(numbers);
  const float most = std::max(-seen.low, seen.high);
  Histogram histogram({-most, most}, bins);
  histogram.add(numbers);
  return histogram;
}

TEST(AHistogram, CountsEachNumberInTheBinBetweenItsEdges) {
  const std::vector<float> numbers = bell_with_outliers(20'000, 1);
  const Histogram histogram = symmetric_histogram(numbers, 333);
  for (std::size_t bin = 0; bin < 333; ++bin) {
    std::uint64_t expected = 0;
    for (const float number : numbers) {
      const bool is_last = bin == 332;
      expected += number >= histogram.edge(bin) &&
                  (number < histogram.edge(bin + 1) || (is_last && number <= histogram.edge(333)));
    }
    ASSERT_EQ(histogram.counts()[bin], expected) << bin;
  }
  EXPECT_EQ(histogram.total(), numbers.size());
}

TEST(AHistogram, LeavesOutWhatIsOutsideOfItsBounds) {
  Histogram histogram({-1, 1}, 4);
  const std::vector<float> numbers = {-2, 2, std::nanf(""), 0.1F, 1};
  histogram.add(numbers);
  EXPECT_EQ(histogram.counts(), (std::vector<std::uint64_t>{0, 0, 1, 1}));
}

TEST(AHistogram, OfTwoPartsIsTheSumOfBoth) {
  const std::vector<float> numbers = bell_with_outliers(1000, 2);
  const Histogram whole = symmetric_histogram(numbers, 64);
  Histogram first({whole.edge(0), whole.edge(64)}, 64);
  Histogram second = first;
  first.add(std::span(numbers).first(300));
  second.add(std::span(numbers).subspan(300));
  first.add(second);
  EXPECT_EQ(first.counts(), whole.counts());
}

// The definition, without any thought of speed: the loss of each window around the middle.
double loss_by_definition(const std::vector<std::uint64_t>& counts, std::size_t begin,
                          std::size_t end) {
  constexpr std::size_t levels = 128;
  std::vector<double> p(counts.begin() + static_cast<std::ptrdiff_t>(begin),
                        counts.begin() + static_cast<std::ptrdiff_t>(end));
  for (std::size_t i = 0; i < begin; ++i) p.front() += static_cast<double>(counts[i]);
  for (std::size_t i = end; i < counts.size(); ++i) p.back() += static_cast<double>(counts[i]);
  std::vector<double> q(p.size());
  const std::size_t width = p.size() / levels;
  for (std::size_t level = 0; level < levels; ++level) {
    std::uint64_t mass = 0;
    std::uint64_t holding = 0;
    const std::size_t mass_end = level + 1 < levels ? (level + 1) * width : p.size();
    for (std::size_t i = level * width; i < mass_end; ++i) mass += counts[begin + i];
    for (std::size_t i = level * width; i < (level + 1) * width; ++i) holding += p[i] != 0;
    for (std::size_t i = level * width; i < (level + 1) * width; ++i)
      q[i] = holding != 0 ? static_cast<double>(mass / holding) : 0;
  }
  double loss = 0;
  for (auto* distribution : {&p, &q}) {
    const auto zeros = static_cast<double>(std::ranges::count(*distribution, 0.0));
    const double share = 0.0001 * zeros / (static_cast<double>(p.size()) - zeros);
    if (!(share < 1)) return std::numeric_limits<double>::infinity();
    double total = 0;
    for (double& bin : *distribution) total += bin += bin == 0 ? 0.0001 : -share;
    for (double& bin : *distribution) bin /= total;
  }
  for (std::size_t i = 0; i < p.size(); ++i) loss += p[i] * std::log(p[i] / q[i]);
  return loss;
}

TEST(EntropyRange, IsThatOfTheWindowWithTheLeastLoss) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    std::vector<float> numbers = bell_with_outliers(500 << seed, seed);
    if (seed % 3 == 0) {
      for (float& number : numbers) number = std::round(number * 4) / 4;  // few bins hold anything
    }
    const std::size_t bins = 260 + 37 * seed;
    const Histogram histogram = symmetric_histogram(numbers, bins);
    double least = std::numeric_limits<double>::infinity();
    RealRange expected = range_of(numbers);
    for (std::size_t half = 64; half <= bins / 2; ++half) {
      const std::size_t begin = bins / 2 - half;
      const std::size_t end = std::min(bins / 2 + half + 1, bins);
      const double loss = loss_by_definition(histogram.counts(), begin, end);
      if (loss >= least) continue;
      least = loss;
      expected = {std::max(histogram.edge(begin), range_of(numbers).low),
                  std::min(histogram.edge(end), range_of(numbers).high)};
    }
    EXPECT_EQ(entropy_range(histogram, range_of(numbers)), expected) << seed;
  }
}

TEST(EntropyRange, CutsOffWhatIsFarOutside) {
  const std::vector<float> numbers = bell_with_outliers(50'000, 3);
  const RealRange range = entropy_range(symmetric_histogram(numbers, 2048), range_of(numbers));
  EXPECT_LT(range.high, 10);
  EXPECT_GT(range.high, 2.5);
}

TEST(EntropyRange, HasNoChoiceWithAsManyBinsAsLevels) {
  const std::vector<float> numbers = bell_with_outliers(50'000, 4);
  EXPECT_EQ(entropy_range(symmetric_histogram(numbers, 128), range_of(numbers)), range_of(numbers));
}

TEST(EntropyRange, StaysWithinWhatWasSeen) {
  std::vector<float> numbers = bell_with_outliers(5'000, 5);
  for (float& number : numbers) number = std::abs(number);
  EXPECT_GE(entropy_range(symmetric_histogram(numbers, 2048), range_of(numbers)).low, 0);
}

TEST(PercentileRange, LeavesOutTheShareThatIsAskedFor) {
  std::vector<float> numbers;
  for (int i = 1; i <= 10'000; ++i) numbers.push_back(static_cast<float>(i % 2 == 0 ? i : -i));
  Histogram magnitudes({1, 10'000}, 2048);
  magnitudes.add_magnitudes(numbers);
  const RealRange range = percentile_range(magnitudes, range_of(numbers), 90);
  EXPECT_NEAR(range.high, 9000, 5);
  EXPECT_EQ(range.low, -range.high);
}

TEST(PercentileRange, OfAllIsWhatWasSeen) {
  const std::vector<float> numbers = bell_with_outliers(1000, 6);
  Histogram magnitudes({0, 44.5}, 2048);
  magnitudes.add_magnitudes(numbers);
  const RealRange range = percentile_range(magnitudes, range_of(numbers), 100);
  EXPECT_EQ(range.low, range_of(numbers).low);
  EXPECT_NEAR(range.high, 44.5, 44.5 / 2048);
}

}  // namespace
}  // namespace hone
