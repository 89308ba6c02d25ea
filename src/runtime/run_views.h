#pragma once
// One run on inputs where they lie: for who has them in memory and does not take the time.

#include "runtime/session.h"

namespace hone {

// From any thread. An input is copied only where its bytes are not aligned for its elements; inputs
// that the model does not have are refused by name.
Result<NamedTensors> run_views(const Runtime& runtime, const Session& session,
                               const NamedTensors& inputs, bool zeroes_denormals);

}  // namespace hone
