#include "inspect/eval/tally.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "inspect/eval/intervals.h"

namespace hone {
namespace {

constexpr std::size_t most_cells = 16384;
// Of figures that are computed anew for each draw: so many that the ends hold still, fewer where
// one takes long.
constexpr std::size_t most_draws = 2000;
constexpr std::size_t fewest_draws = 200;
constexpr std::size_t most_units_counted = std::size_t{1} << 23;
// A draw of more units than this is one of so many, and its spread is scaled by the root of the
// share (the m-out-of-n bootstrap).
constexpr std::uint64_t most_units_drawn = 65536;

// Sums become means; where they were of one unit each they are the scores themselves.
std::vector<double> means_of(const std::vector<double>& sums, std::uint64_t per_cell,
                             std::uint64_t in_last) {
  std::vector<double> means(sums);
  for (std::size_t i = 0; i < means.size(); ++i) {
    const std::uint64_t units = i + 1 < means.size() ? per_cell : in_last;
    if (units > 1) means[i] /= static_cast<double>(units);
  }
  // What is left of a cell weighs less than a full one: it is left out of the spread.
  if (in_last < per_cell && means.size() > 1) means.pop_back();
  return means;
}

void halve(std::vector<double>& sums) {
  for (std::size_t i = 0; i * 2 < sums.size(); ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
  sums.resize(sums.size() / 2);
}

// Moves an interval to the value that all units have together.
Estimate around(Estimate estimate, double value, std::uint64_t samples) {
  const double moved = value - estimate.value;
  estimate.value = value;
  estimate.low += moved;
  estimate.high += moved;
  estimate.samples = samples;
  return estimate;
}

// Draws of units with repetition, as how often each of the different ones came.
class Draws {
 public:
  Draws(const std::vector<std::uint64_t>& times, std::uint64_t seed) : random_(mix64(seed)) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : times) ends_.push_back(sum += count);
    drawn_.resize(times.size());
  }
  const std::vector<std::uint32_t>& next() {
    std::ranges::fill(drawn_, 0u);
    for (std::uint64_t i = 0; i < size(); ++i) {
      const auto found = std::ranges::upper_bound(ends_, random_.below(ends_.back()));
      ++drawn_[static_cast<std::size_t>(found - ends_.begin())];
    }
    return drawn_;
  }
  std::uint64_t size() const { return std::min(ends_.back(), most_units_drawn); }
  // How much narrower the spread of all units is than that of a draw.
  double scale() const {
    return std::sqrt(static_cast<double>(size()) / static_cast<double>(ends_.back()));
  }

 private:
  Random random_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> drawn_;
};

std::size_t draws_for(std::uint64_t units) {
  return std::clamp<std::size_t>(most_units_counted / units, fewest_draws, most_draws);
}

struct Ends {
  double low = 0;
  double high = 0;
};

Ends ends_of(std::vector<double> values, double beyond, double centre, double scale) {
  std::ranges::sort(values);
  const auto cut = static_cast<std::size_t>(beyond * static_cast<double>(values.size()));
  const auto moved = [&](double value) { return centre + (value - centre) * scale; };
  return {moved(values[cut]), moved(values[values.size() - 1 - cut])};
}

Estimate estimate_of(const std::vector<double>& drawn, double value, double scale,
                     std::uint64_t units) {
  const Ends ends = ends_of(drawn, 0.025, value, scale);
  return {.value = value,
          .low = ends.low,
          .high = ends.high,
          .method = IntervalMethod::bootstrap,
          .samples = units};
}

}  // namespace

void Cells::add(double score, double other) {
  if (in_last_ == per_cell_ || sums_.empty()) {
    if (sums_.size() == most_cells) {
      halve(sums_);
      halve(other_sums_);
      per_cell_ *= 2;
    }
    sums_.push_back(0);
    other_sums_.push_back(0);
    in_last_ = 0;
  }
  sums_.back() += score;
  other_sums_.back() += other;
  total_ += score;
  other_total_ += other;
  ++in_last_;
  ++count_;
}

std::vector<double> Cells::of(bool other) const {
  return means_of(other ? other_sums_ : sums_, per_cell_, in_last_);
}

Estimate Cells::estimate(std::uint64_t seed) const {
  return around(bootstrap_interval(of(false), seed), total_ / static_cast<double>(count_), count_);
}

Estimate Cells::estimate_other(std::uint64_t seed) const {
  return around(bootstrap_interval(of(true), seed), other_total_ / static_cast<double>(count_),
                count_);
}

MetricDifference Cells::difference(std::uint64_t seed) const {
  std::vector<double> apart = of(false);
  const std::vector<double> other = of(true);
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i] -= other[i];
  MetricDifference difference = bootstrap_difference(apart, seed);
  const double moved = (total_ - other_total_) / static_cast<double>(count_) - difference.value;
  difference.value += moved;
  difference.low += moved;
  difference.high += moved;
  return difference;
}

Tally::Tally(std::span<const MetricFacts> metrics, bool has_reference)
    : facts_of_metrics_(metrics.begin(), metrics.end()),
      has_reference_(has_reference),
      counts_(metrics.size()),
      cells_(metrics.size()),
      facts_(std::ranges::all_of(metrics, [](const MetricFacts& metric) {
        return metric.of_all == nullptr || metric.adds_up;
      })) {}

void Tally::add(const Unit& unit, const Unit* reference) {
  ++units_;
  for (std::size_t i = 0; i < facts_of_metrics_.size(); ++i) {
    const MetricFacts& metric = facts_of_metrics_[i];
    if (metric.of_all != nullptr) continue;
    const double score = unit.scores[i];
    const double other = reference != nullptr ? reference->scores[i] : 0;
    if (!metric.is_yes_no) {
      cells_[i].add(score, other);
      continue;
    }
    counts_[i].hits += score == 1 ? 1 : 0;
    counts_[i].other_hits += other == 1 ? 1 : 0;
    counts_[i].lost += score < other ? 1 : 0;
    counts_[i].gained += score > other ? 1 : 0;
  }
  if (unit.facts.empty()) return;
  facts_.add(unit.facts, reference != nullptr ? reference->facts : UnitFacts::Facts());
}

EvalMetric Tally::of_counts(std::size_t metric) const {
  const YesNo& counts = counts_[metric];
  EvalMetric made;
  made.model = wilson_interval(counts.hits, units_);
  if (!has_reference_) return made;
  made.reference = wilson_interval(counts.other_hits, units_);
  made.difference = tango_interval(counts.lost, counts.gained, units_);
  return made;
}

EvalMetric Tally::of_cells(std::size_t metric, std::uint64_t seed) const {
  EvalMetric made;
  made.model = cells_[metric].estimate(seed);
  if (!has_reference_) return made;
  made.reference = cells_[metric].estimate_other(seed);
  made.difference = cells_[metric].difference(seed);
  return made;
}

EvalMetric Tally::of_nothing() const {
  EvalMetric made;
  made.model.samples = units_;
  if (!has_reference_) return made;
  made.reference = made.model;
  made.difference.emplace();
  return made;
}

EvalMetric Tally::of_whole(const MetricFacts& metric, std::uint64_t seed) const {
  // No unit had anything to count: masks in which no pixel counts.
  if (facts_.times().empty()) return of_nothing();
  const WholeFigure own = metric.of_all(facts_.own());
  WholeFigure other;
  if (has_reference_) other = metric.of_all(facts_.other());
  Draws draws(facts_.times(), seed);
  std::vector<double> drawn;
  std::vector<double> other_drawn;
  std::vector<double> apart;
  for (std::size_t i = 0; i < draws_for(draws.size()); ++i) {
    const std::vector<std::uint32_t>& times = draws.next();
    drawn.push_back(own(times));
    if (!other) continue;
    other_drawn.push_back(other(times));
    apart.push_back(drawn.back() - other_drawn.back());
  }
  std::vector<std::uint32_t> all;
  for (const std::uint64_t count : facts_.times()) all.push_back(static_cast<std::uint32_t>(count));
  EvalMetric made;
  made.model = estimate_of(drawn, own(all), draws.scale(), units_);
  if (!other) return made;
  made.reference = estimate_of(other_drawn, other(all), draws.scale(), units_);
  const double difference = made.model.value - made.reference->value;
  Ends ends = ends_of(apart, 0.05, difference, draws.scale());
  if (metric.unit.empty()) {
    // Models that agree on a few samples agree in every draw, and that shows little. Of yes and no
    // Tango's bound says how much: a share of a figure is given no less.
    const double unseen = tango_interval(0, 0, units_).high;
    ends = {std::min(ends.low, difference - unseen), std::max(ends.high, difference + unseen)};
  }
  made.difference = MetricDifference{.value = difference,
                                     .low = ends.low,
                                     .high = ends.high,
                                     .method = IntervalMethod::bootstrap,
                                     .lost = std::nullopt,
                                     .gained = std::nullopt};
  return made;
}

std::vector<EvalMetric> Tally::metrics(std::uint64_t seed) const {
  std::vector<EvalMetric> made;
  for (std::size_t i = 0; i < facts_of_metrics_.size(); ++i) {
    const MetricFacts& facts = facts_of_metrics_[i];
    made.push_back(facts.of_all != nullptr ? of_whole(facts, seed)
                   : facts.is_yes_no       ? of_counts(i)
                                           : of_cells(i, seed));
    made.back().name = facts.name;
    if (!facts.unit.empty()) made.back().unit = std::string(facts.unit);
  }
  return made;
}

}  // namespace hone
