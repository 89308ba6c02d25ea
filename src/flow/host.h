#pragma once
// What comes with hone, as it lies around its program in a build or where it is installed.

#include "base/file.h"
#include "record/where.h"

namespace hone {

// build/bin/hone finds build/lib; an installed bin/hone finds lib/hone. ONNX Runtime is what lies
// there, else the system's.
Host host_around(const Path& program);

}  // namespace hone
