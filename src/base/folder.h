#pragma once
// What is in a folder, one level or all: the one place that walks. Sorted by name, so that what is
// made of it is the same on every machine. A folder that cannot be read is an error and never an
// empty list; what goes away meanwhile was not there.

#include <cstddef>
#include <string>
#include <vector>

#include "base/file.h"

namespace hone {

struct FolderEntry {
  Path path;                              // the folder's, and the name
  std::string name;                       // seen from the folder, with '/' between its parts
  std::filesystem::file_type type{};      // its own: a link is a link
  std::filesystem::file_type leads_to{};  // of what a link leads to, else the same
  bool is_link() const { return type == std::filesystem::file_type::symlink; }
  bool is_file() const { return leads_to == std::filesystem::file_type::regular; }
  bool is_folder() const { return leads_to == std::filesystem::file_type::directory; }
};

Result<std::vector<FolderEntry>> list_folder(const Path& folder);

// Below it, at any depth. A folder behind a link is an entry, and is not entered: no walk is
// endless or leaves the folder. More entries than `most` are refused.
inline constexpr std::size_t most_folder_entries = 1'000'000;
Result<std::vector<FolderEntry>> walk_folder(const Path& folder,
                                             std::size_t most = most_folder_entries);

// The files in it, and below it: what is_file().
Result<std::vector<Path>> files_in(const Path& folder);
Result<std::vector<Path>> files_below(const Path& folder);

}  // namespace hone
