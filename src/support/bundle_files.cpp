#include "support/bundle_files.h"

#include <set>

#include "base/folder.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr std::size_t most_entries = 1000;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

std::string kind_problem(const FolderEntry& entry) {
  return entry.is_link() ? "it is a link" : "it is neither a file nor a folder";
}

// Folders that lead to no file hold nothing, and are nobody's evidence.
void add_empty_folders(const std::set<std::string>& folders, BundleFiles& found) {
  for (const std::string& folder : folders) {
    const auto first = found.sizes.lower_bound(folder + "/");
    const bool has_files = first != found.sizes.end() && first->first.starts_with(folder + "/");
    if (!has_files) found.problems[folder] = "it is a folder without a file";
  }
}

}  // namespace

Result<BundleFiles> list_bundle(const Path& folder) {
  BundleFiles found;
  const auto entries = walk_folder(folder, most_entries);
  if (!entries && entries.error().fault == Fault::bad_input) {
    found.problems["."] = "it has more than " + std::to_string(most_entries) + " files";
    return found;
  }
  if (!entries) return fail(entries.error());
  std::set<std::string> folders;
  std::uint64_t bytes = 0;
  for (const FolderEntry& entry : *entries) {
    if (entry.is_link() || (!entry.is_folder() && !entry.is_file())) {
      found.problems[entry.name] = kind_problem(entry);
    } else if (entry.is_folder()) {
      folders.insert(entry.name);
    } else {
      HONE_TRY(found.sizes[entry.name], size_of_file(entry.path));
      bytes += std::min(found.sizes[entry.name], most_bytes + 1);
    }
  }
  if (bytes > most_bytes) found.problems["."] = "it has more than " + format_bytes(most_bytes);
  add_empty_folders(folders, found);
  return found;
}

}  // namespace hone
