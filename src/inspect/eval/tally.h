#pragma once
// What is kept of the units that were judged, and the figures that are made of it at the end. Yes
// and no are counted, and of other scores at most 16384 sums are kept: memory does not grow with
// the data. Of a figure that is no mean (F1, average precision, a correlation) there are the facts
// of each unit (unit_facts.h): those grow only where they do not add up and all differ.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inspect/eval/judge.h"
#include "inspect/eval/unit_facts.h"
#include "record/eval.h"

namespace hone {

// Sums of neighbours. Where there are too many, two become one: neighbours are as independent as
// any other samples, and so are their sums.
class Cells {
 public:
  void add(double score, double other);

  Estimate estimate(std::uint64_t seed) const;
  Estimate estimate_other(std::uint64_t seed) const;
  MetricDifference difference(std::uint64_t seed) const;

 private:
  std::vector<double> of(bool other) const;

  std::vector<double> sums_;
  std::vector<double> other_sums_;
  std::uint64_t per_cell_ = 1;
  std::uint64_t in_last_ = 0;
  std::uint64_t count_ = 0;
  double total_ = 0;
  double other_total_ = 0;
};

// Figures of the model, and of a reference on the same units.
class Tally {
 public:
  Tally(std::span<const MetricFacts> metrics, bool has_reference);

  // REQUIRES: a reference's unit where there is a reference.
  void add(const Unit& unit, const Unit* reference);
  std::uint64_t units() const { return units_; }
  // REQUIRES: units() > 0.
  std::vector<EvalMetric> metrics(std::uint64_t seed) const;

 private:
  struct YesNo {
    std::uint64_t hits = 0;
    std::uint64_t other_hits = 0;
    std::uint64_t lost = 0;
    std::uint64_t gained = 0;
  };
  EvalMetric of_counts(std::size_t metric) const;
  EvalMetric of_cells(std::size_t metric, std::uint64_t seed) const;
  EvalMetric of_nothing() const;
  EvalMetric of_whole(const MetricFacts& metric, std::uint64_t seed) const;

  std::vector<MetricFacts> facts_of_metrics_;
  bool has_reference_;
  std::uint64_t units_ = 0;
  std::vector<YesNo> counts_;  // by metric
  std::vector<Cells> cells_;   // by metric
  UnitFacts facts_;            // of figures of all units
};

}  // namespace hone
