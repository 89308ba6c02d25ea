#pragma once
// The simulated accelerator: takes what its profile allows, runs it on this CPU in the place of a
// device, and behaves as a vendor's provider would, misbehaviour included (docs/sim.md).

#include "ep/provider.h"

namespace hone::ep::sim {

inline constexpr const char* provider_name = "HoneSim";

ProviderKind kind();

}  // namespace hone::ep::sim
