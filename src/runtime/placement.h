#pragma once
// Which EP got which node, as ONNX Runtime recorded it.

#include <string>

#include "record/target.h"
#include "runtime/runtime.h"

namespace hone {

// `own_ep` is the short name of the target's EP; its share comes first, whatever its size.
Placement read_placement(const Runtime& runtime, const ort::OrtSession* session,
                         const std::string& own_ep);

}  // namespace hone
