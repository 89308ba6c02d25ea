#pragma once
// A file that is to stay below a folder, opened by the rules of map_file_inside(). Private to base.

#include "base/descriptor.h"
#include "base/file.h"

namespace hone {

Result<Descriptor> open_file_inside(const Path& folder, const Path& relative);

}  // namespace hone
