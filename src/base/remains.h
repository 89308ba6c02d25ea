#pragma once
// What killed processes left under temporary names. Who works on such a file or folder holds a lock
// on it, which goes with the process: what nobody holds is nobody's.

#include <optional>

#include "base/descriptor.h"
#include "base/file.h"

namespace hone {

// Takes the lock of a file that was just made under this name. False where it lost the name
// meanwhile: somebody took it for a remain. A file system without locks has no remains to find.
bool hold(int descriptor, const Path& path);

// Removes the file of this name unless somebody holds it. Whether there was one.
bool remove_remains_at(const Path& path);

// The lock of a folder; none where somebody else has it, or the file system has no locks.
Descriptor hold_folder(const Path& folder);

struct HeldFolder {
  Path path;
  Descriptor lock;
};

// Makes the folder "<start>XXXXXX" for this process alone; none, and errno, where that fails.
std::optional<HeldFolder> make_held_folder(const Path& start);

// Removes the folders whose paths start so and that nobody holds.
void remove_folders_left(const Path& start);

}  // namespace hone
