#include "measure/denormals.h"

#include <algorithm>
#include <vector>

#include "measure/robust.h"

namespace hone {

void judge_turns(std::span<const double> as_is, std::span<const double> as_zero,
                 PerfDenormals& found) {
  if (as_is.size() < denormal_turns || as_zero.size() < denormal_turns) return;
  found.p50_as_is_ms = median({as_is.begin(), as_is.end()});
  found.p50_as_zero_ms = median({as_zero.begin(), as_zero.end()});
  found.is_beyond_noise = std::ranges::max(as_zero) < std::ranges::min(as_is);
}

}  // namespace hone
