#include "catalog/stage_cache.h"

#include <vector>

#include "base/folder.h"
#include "base/folder_cache.h"
#include "catalog/blob_folder.h"

namespace hone {
namespace {

struct Entry {
  std::string key;
  std::uint64_t bytes = 0;
  bool is_shared = false;
  SystemTime made{};
};

// An entry that is not finished has a '.' in its name.
bool is_finished(const std::string& name) { return name.find('.') == std::string::npos; }

void add_file(const Path& file, Entry& entry) {
  const auto facts = facts_of(file);
  if (!facts || !*facts || !(*facts)->is_regular) return;
  if ((*facts)->names > 1) entry.is_shared = true;
  entry.bytes += (*facts)->bytes;
  entry.made = std::max(entry.made, (*facts)->written);
}

std::vector<Entry> entries_in(const Path& folder) {
  std::vector<Entry> entries;
  // What is gone meanwhile takes no room.
  for (const FolderEntry& one : list_folder(folder).value_or({})) {
    if (!is_finished(one.name) || !one.is_folder()) continue;
    Entry entry{.key = one.name};
    for (const Path& file : files_below(one.path).value_or({})) add_file(file, entry);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

std::uint64_t StageCache::unshared_bytes() const {
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries_in(folder_))
    if (!entry.is_shared) bytes += entry.bytes;
  return bytes;
}

void StageCache::drop_unshared(std::chrono::system_clock::time_point made_before) const {
  FolderCache cache(folder_);
  for (const Entry& entry : entries_in(folder_)) {
    if (!entry.is_shared && entry.made < made_before) (void)cache.forget(entry.key);
  }
}

}  // namespace hone
