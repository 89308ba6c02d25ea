#pragma once
// A folder in the place of another one, or gone, in one step.

#include "base/file.h"

namespace hone {

// Gives the folder `made` the name `place`, and removes what had it. A kill leaves the one or the
// other there, whole; what is left of the replaced one has the name `made` then. (A file system
// that cannot exchange two names, as a network's, has neither for a moment, and `made` is whole.)
// REQUIRES: both are on one file system.
Status replace_folder(const Path& made, const Path& place);

// Removes a folder, under another name first: a part of it never passes for all of it. What a kill
// left under that name goes too. REQUIRES: both are on one file system.
Status drop_folder(const Path& folder, const Path& leaving);

}  // namespace hone
