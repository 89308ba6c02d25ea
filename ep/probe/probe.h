#pragma once
// The probe: a provider that claims nothing and writes down the graph it is shown, with the types
// and shapes ONNX Runtime has inferred. It runs wherever there is a CPU.

#include "ep/provider.h"

namespace hone::ep::probe {

ProviderKind kind();

}  // namespace hone::ep::probe
