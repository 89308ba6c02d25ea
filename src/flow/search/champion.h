#pragma once
// The champion of a search: the build that ships, in a folder of its own.

#include <string>

#include "base/file.h"
#include "base/result.h"

namespace hone {

// Where it lies in a folder.
Path champion_of(const Path& folder);

// A copy of the build, in the place of an earlier champion of `folder` once it is whole. It has to
// be what was measured: `sha256` is of the model's files.
Status keep_champion(const Path& build, const Path& folder, const std::string& sha256);

// Where the baseline ships, an earlier search's champion would be taken for this one's.
Status drop_champion(const Path& folder);

}  // namespace hone
