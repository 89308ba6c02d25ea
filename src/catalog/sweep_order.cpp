#include <algorithm>

#include "catalog/sweep.h"

namespace hone {

std::vector<CellOrder> in_order(std::vector<CellOrder> jobs,
                                const std::function<std::uint64_t(const CellOrder&)>& bytes_of) {
  constexpr std::uint64_t quantizing = 4;
  struct Placed {
    bool is_first = false;
    std::uint64_t cost = 0;
    CellOrder job;
  };
  std::vector<Placed> placed;
  std::vector<std::string> seen;
  for (CellOrder& job : jobs) {
    const bool is_first = std::ranges::find(seen, job.model.model) == seen.end();
    if (is_first) seen.push_back(job.model.model);
    const std::uint64_t cost = bytes_of(job) * (job.recipe.quantize ? quantizing : 1);
    placed.push_back({is_first, cost, std::move(job)});
  }
  std::ranges::stable_sort(placed, [](const Placed& a, const Placed& b) {
    return std::pair(!a.is_first, b.cost) < std::pair(!b.is_first, a.cost);
  });
  std::vector<CellOrder> ordered;
  for (Placed& one : placed) ordered.push_back(std::move(one.job));
  return ordered;
}

}  // namespace hone
