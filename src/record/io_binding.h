#pragma once
// Where the inputs and outputs of a session lie while it runs.

#include <array>

#include "record/enum_names.h"

namespace hone {

enum class IoBinding {
  // Inputs are bound before, and lie where the EP wants them; outputs come back to the host.
  automatic,
  device,  // outputs stay where the EP makes them, too: no run moves anything
  none,    // nothing is bound: inputs go to the device and outputs come back in every run
};

constexpr auto enum_names(IoBinding) {
  return std::to_array<EnumName<IoBinding>>(
      {{IoBinding::automatic, "auto"}, {IoBinding::device, "device"}, {IoBinding::none, "none"}});
}

}  // namespace hone
