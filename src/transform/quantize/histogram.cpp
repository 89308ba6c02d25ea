#include "transform/quantize/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/result.h"

namespace hone {

Histogram::Histogram(RealRange bounds, std::size_t bins) : counts_(bins) {
  HONE_CHECK(bounds.low < bounds.high && bins > 0);
  const double step = (static_cast<double>(bounds.high) - bounds.low) / static_cast<double>(bins);
  for (std::size_t i = 0; i < bins; ++i) {
    edges_.push_back(static_cast<float>(bounds.low + static_cast<double>(i) * step));
  }
  edges_.push_back(bounds.high);
}

// The bin by division, and by one to either side where rounding put it wrong.
void Histogram::count(float number) {
  const float low = edges_.front();
  const float high = edges_.back();
  if (!(number >= low && number <= high)) return;
  const double share = (static_cast<double>(number) - low) / (static_cast<double>(high) - low);
  std::size_t bin = static_cast<std::size_t>(share * static_cast<double>(counts_.size()));
  bin = std::min(bin, counts_.size() - 1);
  while (bin > 0 && number < edges_[bin]) --bin;
  while (bin + 1 < counts_.size() && number >= edges_[bin + 1]) ++bin;
  ++counts_[bin];
}

void Histogram::add(std::span<const float> numbers) {
  for (const float number : numbers) count(number);
}

void Histogram::add_magnitudes(std::span<const float> numbers) {
  for (const float number : numbers) count(std::abs(number));
}

void Histogram::add(const Histogram& other) {
  HONE_CHECK(other.edges_ == edges_);
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

void Histogram::set_counts(std::vector<std::uint64_t> counts) {
  HONE_CHECK(counts.size() == counts_.size());
  counts_ = std::move(counts);
}

std::uint64_t Histogram::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

namespace {

RealRange within(RealRange range, RealRange seen) {
  return {std::max(range.low, seen.low), std::min(range.high, seen.high)};
}

// The window of bins around the middle that a candidate keeps.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

// Zero bins get a little of what the others have, so that no logarithm is infinite.
constexpr double gift = 0.0001;

// What each of the other bins gives; nothing when they have not enough.
std::optional<double> share_to_give(std::size_t zeros, std::size_t others) {
  if (others == 0) return std::nullopt;
  const double share = gift * static_cast<double>(zeros) / static_cast<double>(others);
  return share < 1 ? std::optional(share) : std::nullopt;
}

// What a window loses when its bins are merged into `levels` and what lies outside is clipped to
// its ends: the divergence between the distribution p of its bins and q, that of its levels spread
// over their bins.
class Candidates {
 public:
  Candidates(const std::vector<std::uint64_t>& counts, std::size_t levels)
      : counts_(counts), levels_(levels), spread_(levels) {
    sums_.push_back(0);
    filled_.push_back(0);
    for (const std::uint64_t count : counts) {
      sums_.push_back(sums_.back() + count);
      filled_.push_back(filled_.back() + (count != 0 ? 1 : 0));
      logarithms_.push_back(count != 0 ? std::log(static_cast<double>(count)) : 0);
    }
  }

  double loss(Window window);

 private:
  struct Spread {
    std::size_t zeros = 0;
    std::uint64_t total = 0;
  };
  std::uint64_t sum(std::size_t begin, std::size_t end) const { return sums_[end] - sums_[begin]; }
  std::size_t holding_bins(std::size_t begin, std::size_t end) const;
  Spread spread_levels(std::size_t width);
  double add_bins(std::size_t begin, std::size_t end, double q) const;

  const std::vector<std::uint64_t>& counts_;
  std::size_t levels_;
  std::vector<std::uint64_t> sums_;    // of all bins before
  std::vector<std::size_t> filled_;    // of all bins before, those that hold something
  std::vector<double> logarithms_;     // of the counts
  std::vector<std::uint64_t> spread_;  // of each level, what each of its bins gets
  // The window that is looked at.
  Window window_;
  std::uint64_t first_ = 0;  // its ends hold what lies outside as well
  std::uint64_t last_ = 0;
  double share_ = 0;
};

// The sum of p * log(p / q) over bins of one level, all of which have the same q.
double Candidates::add_bins(std::size_t begin, std::size_t end, double q) const {
  const double log_q = std::log(q);
  double sum = 0;
  for (std::size_t bin = begin; bin < end; ++bin) {
    const bool is_end = bin == window_.begin || bin + 1 == window_.end;
    const std::uint64_t count = bin == window_.begin     ? first_
                                : bin + 1 == window_.end ? last_
                                                         : counts_[bin];
    if (count == 0) {
      sum += gift * (std::log(gift) - log_q);
      continue;
    }
    const auto whole = static_cast<double>(count);
    // log(count - share), by its series where that is as good: this is the innermost loop.
    const double part = share_ / whole;
    const double log_p = is_end || part > 0.01 ? std::log(whole - share_)
                                               : logarithms_[bin] - part - part * part / 2;
    sum += (whole - share_) * (log_p - log_q);
  }
  return sum;
}

// Each level's mass goes in whole numbers to its bins; those that are left over at the end belong
// to the last level and get nothing. Returns how many bins have nothing, and the sum over the
// others.
Candidates::Spread Candidates::spread_levels(std::size_t width) {
  Spread spread{window_.size() - levels_ * width, 0};
  for (std::size_t level = 0; level < levels_; ++level) {
    const std::size_t begin = window_.begin + level * width;
    const std::size_t end = level + 1 < levels_ ? begin + width : window_.end;
    const std::size_t holding = holding_bins(begin, begin + width);
    spread_[level] = holding != 0 ? sum(begin, end) / holding : 0;
    spread.total += spread_[level] * width;
    spread.zeros += spread_[level] == 0 ? width : 0;
  }
  return spread;
}

// The bins of the window's distribution that hold something: at its ends also what lies outside.
std::size_t Candidates::holding_bins(std::size_t begin, std::size_t end) const {
  std::size_t bins = filled_[end] - filled_[begin];
  if (begin == window_.begin && first_ != 0 && counts_[begin] == 0) ++bins;
  if (end == window_.end && last_ != 0 && counts_[end - 1] == 0) ++bins;
  return bins;
}

double Candidates::loss(Window window) {
  window_ = window;
  first_ = sum(0, window.begin + 1);
  last_ = sum(window.end - 1, counts_.size());
  const std::size_t width = window.size() / levels_;
  const Spread spread = spread_levels(width);
  const std::size_t holding = holding_bins(window.begin, window.end);
  const auto p_share = share_to_give(window.size() - holding, holding);
  const auto q_share = share_to_give(spread.zeros, window.size() - spread.zeros);
  if (!p_share || !q_share) return std::numeric_limits<double>::infinity();
  share_ = *p_share;
  double total = 0;
  for (std::size_t level = 0; level < levels_; ++level) {
    const std::size_t begin = window.begin + level * width;
    const double q = spread_[level] != 0 ? static_cast<double>(spread_[level]) - *q_share : gift;
    total += add_bins(begin, begin + width, q);
  }
  total += add_bins(window.begin + levels_ * width, window.end, gift);
  const auto mass = static_cast<double>(sums_.back());
  return total / mass + std::log(static_cast<double>(spread.total) / mass);
}

}  // namespace

RealRange entropy_range(const Histogram& histogram, RealRange seen, std::size_t levels) {
  const std::size_t bins = histogram.counts().size();
  HONE_CHECK(bins >= levels);
  const std::size_t middle = bins / 2;
  Candidates candidates(histogram.counts(), levels);
  double least = std::numeric_limits<double>::infinity();
  Window best{0, bins};
  for (std::size_t half = levels / 2; half <= middle; ++half) {
    const Window window{middle - half, std::min(middle + half + 1, bins)};
    const double loss = candidates.loss(window);
    if (loss >= least) continue;
    least = loss;
    best = window;
  }
  return within({histogram.edge(best.begin), histogram.edge(best.end)}, seen);
}

RealRange percentile_range(const Histogram& magnitudes, RealRange seen, double percent) {
  const auto total = static_cast<double>(magnitudes.total());
  const double wanted = percent / 100;
  double share = 0;
  std::size_t bin = 0;
  for (; bin < magnitudes.counts().size(); ++bin) {
    share += static_cast<double>(magnitudes.counts()[bin]) / total;
    if (share >= wanted) break;
  }
  const float magnitude = magnitudes.edge(bin);
  return within({-magnitude, magnitude}, seen);
}

}  // namespace hone
