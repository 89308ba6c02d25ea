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

std::optional<PerfTransfers> judge_transfers(std::span<const double> device,
                                             std::span<const double> crossing) {
  if (device.size() < denormal_turns || crossing.size() < denormal_turns) return std::nullopt;
  PerfTransfers found;
  found.p50_device_ms = median({device.begin(), device.end()});
  found.p50_crossing_ms = median({crossing.begin(), crossing.end()});
  found.transfer_ms = found.p50_crossing_ms - found.p50_device_ms;
  found.is_beyond_noise = std::ranges::max(device) < std::ranges::min(crossing);
  return found;
}

}  // namespace hone
