#pragma once
// Climbing the goal ladder: each tier is jobs in processes of their own, and what they answered.
// Who proves and who reviews climb with the same feet.

#include "flow/proof/climb_site.h"

namespace hone {

// One tier. What fails there is the tier's verdict, never an error.
TierProof climb(Tier tier, const ClimbSite& site, const BuiltHere& built);
// L0 where the build itself failed.
TierProof fallen(const Error& error);

}  // namespace hone
