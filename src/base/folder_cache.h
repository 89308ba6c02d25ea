#pragma once
// Folders that were made once and are used again, by key. Several processes may use one cache: an
// entry appears as a whole, is never changed, and only what was finished is ever found.

#include <functional>
#include <optional>
#include <string>

#include "base/file.h"

namespace hone {

class FolderCache {
 public:
  // `root` is made when something is put into it.
  explicit FolderCache(Path root) : root_(std::move(root)) {}

  // The folder of that key, if every file in it still has the bytes it was put in with; one that
  // has not is set aside and not found. REQUIRES: `key` is a name of letters, digits, '-' and '_'.
  std::optional<Path> find(const std::string& key) const;

  // Makes room for another one under this key.
  Status forget(const std::string& key);

  // Lets `fill` make the files in a new folder, and gives it the key's name. Whoever comes second
  // gets the folder of the first. An error of `fill` leaves nothing behind; what a killed process
  // left is cleared away by the next one that makes the same.
  Result<Path> put(const std::string& key, const std::function<Status(const Path& folder)>& fill);

 private:
  Path root_;
};

}  // namespace hone
