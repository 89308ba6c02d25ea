#include "search/false_discovery.h"

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

double probability(double p) { return p >= 0 && p <= 1 ? p : 1; }

// The test has two sides and the claim has one: half of the mass would do for an arm that came out
// faster, and all of it errs towards doubt. An arm that is slower beyond doubt is no discovery.
std::optional<double> p_of(const ComparedArm& arm) {
  if (!arm.sign_flip_p) return std::nullopt;
  return arm.ratio < 1 ? *arm.sign_flip_p : 1.0;
}

}  // namespace

std::vector<double> benjamini_hochberg(const std::vector<double>& p) {
  std::vector<std::size_t> largest_first(p.size());
  std::iota(largest_first.begin(), largest_first.end(), std::size_t{0});
  std::ranges::stable_sort(largest_first, std::ranges::greater(),
                           [&](std::size_t i) { return probability(p[i]); });
  std::vector<double> q(p.size());
  double least = 1;
  std::size_t rank = p.size();
  for (const std::size_t i : largest_first) {
    const double share = static_cast<double>(p.size()) / static_cast<double>(rank--);
    least = std::min(least, probability(p[i]) * share);
    q[i] = least;
  }
  return q;
}

FinalTests final_tests(const SearchResult& search) {
  FinalTests tests;
  for (const SearchArm& arm : search.arms) {
    if (!arm.confirmed) continue;
    const auto p = p_of(*arm.confirmed);
    if (!p) continue;
    tests.p.push_back(*p);
    if (search.champion == arm.hypothesis.id) tests.champion = p;
  }
  return tests;
}

void set_q_values(std::vector<SweepCell>& cells) {
  std::vector<double> family;
  for (const SweepCell& cell : cells)
    family.insert(family.end(), cell.final_p.begin(), cell.final_p.end());
  const std::vector<double> q = benjamini_hochberg(family);
  for (SweepCell& cell : cells) {
    cell.q_value.reset();
    if (!cell.champion || !cell.p_value) continue;
    const auto found = std::ranges::find(family, *cell.p_value);  // equal p have equal q
    if (found != family.end()) cell.q_value = q[static_cast<std::size_t>(found - family.begin())];
  }
}

}  // namespace hone
