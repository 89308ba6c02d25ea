#include "record/load.h"

#include <cmath>

namespace hone {
namespace {

// Below a percent the share is nothing to anybody.
std::string percent(double share) {
  const auto whole = std::lround(share * 100);
  return whole < 1 ? "less than 1 %" : std::to_string(whole) + " %";
}

}  // namespace

Load to_record(const std::optional<LoadShares>& shares) {
  if (!shares) return {};
  return {.others_share = shares->others, .steal_share = shares->stolen};
}

bool is_busy(const Load& load) {
  return load.others_share.value_or(0) + load.steal_share.value_or(0) >= busy_share;
}

std::string describe(const Load& load) {
  if (!load.others_share) return {};
  std::string text =
      "other work used " + percent(*load.others_share) + " of the CPU while this ran";
  if (std::lround(load.steal_share.value_or(0) * 100) >= 1)
    text += ", the hypervisor took " + percent(*load.steal_share);
  return text;
}

}  // namespace hone
