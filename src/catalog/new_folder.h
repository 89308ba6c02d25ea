#pragma once
// A folder that appears as a whole, or not at all.

#include "base/descriptor.h"
#include "base/file.h"

namespace hone {

// Refuses a path that is there, and one whose folder is not, before work is put into it.
Status check_new_folder(const Path& path);

// Made beside `path` under a name of its own (".name.hone-..."), and removed with all it holds
// unless committed. A process that is killed leaves it behind, and nothing under `path`; who makes
// the same folder next clears it away.
class NewFolder {
 public:
  static Result<NewFolder> create(const Path& path);
  NewFolder(NewFolder&& other) noexcept;
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder();

  const Path& path() const { return temporary_; }
  // Where a file of it will be written; its folders are made.
  Result<Path> place_for(const std::string& relative) const;
  // Takes the final name in one step; fails where somebody else was faster.
  Status commit();

 private:
  NewFolder(Path path, Path temporary, Descriptor lock)
      : path_(std::move(path)), temporary_(std::move(temporary)), lock_(std::move(lock)) {}
  Path path_;
  Path temporary_;
  Descriptor lock_;  // held while somebody works on it
};

}  // namespace hone
