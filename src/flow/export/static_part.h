#pragma once
// The parts of an export with static shapes, by what `hone fix-shapes` does; weights that lie in a
// file stay there.

#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "flow/export/export.h"

namespace hone {

// Replaces the models in their places. A size that is said is one of any of them.
Status fix_shapes_of_parts(const std::vector<Path>& files, const ExportModelOrder& order,
                           const Watch& watch);

}  // namespace hone
