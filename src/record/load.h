#pragma once
// How busy the machine was with other work while something was measured.

#include <optional>
#include <string>

#include "base/load_meter.h"
#include "record/fields.h"

namespace hone {

// Shares of the CPUs we could run on, 0 to 1; null where the system does not tell.
struct Load {
  std::optional<double> others_share;  // of processes that are not ours
  std::optional<double> steal_share;   // what the hypervisor gave to other machines
};
template <RecordOf<Load> Self>
void for_each_field(Self& load, auto&& field) {
  field("others_share", load.others_share);
  field("steal_share", load.steal_share);
}

Load to_record(const std::optional<LoadShares>& shares);

// From here on what was measured is in doubt: every tenth moment of a CPU was somebody else's.
inline constexpr double busy_share = 0.1;
bool is_busy(const Load& load);

// "other work used 43 % of the CPU while this ran"; empty where it is not known.
std::string describe(const Load& load);

}  // namespace hone
