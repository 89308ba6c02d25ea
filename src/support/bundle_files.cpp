#include "support/bundle_files.h"

#include <set>

#include "base/text.h"

namespace hone {
namespace {

constexpr std::size_t most_entries = 1000;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

using Walk = std::filesystem::recursive_directory_iterator;

std::string kind_problem(std::filesystem::file_type type) {
  if (type == std::filesystem::file_type::symlink) return "it is a link";
  return "it is neither a file nor a folder";
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
  std::set<std::string> folders;
  std::uint64_t bytes = 0;
  std::size_t entries = 0;
  std::error_code problem;
  for (Walk entry(folder, problem); !problem && entry != Walk(); entry.increment(problem)) {
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    if (++entries > most_entries) {
      found.problems["."] = "it has more than " + std::to_string(most_entries) + " files";
      return found;
    }
    const std::filesystem::file_type type = entry->symlink_status(problem).type();
    if (problem) break;
    if (type == std::filesystem::file_type::directory) {
      folders.insert(name);
    } else if (type == std::filesystem::file_type::regular) {
      found.sizes[name] = entry->file_size(problem);
      bytes += problem ? 0 : std::min(found.sizes[name], most_bytes + 1);
    } else {
      found.problems[name] = kind_problem(type);
    }
  }
  if (problem) return fail(Fault::io, "cannot list '" + folder.string() + "'", problem.message());
  if (bytes > most_bytes) found.problems["."] = "it has more than " + format_bytes(most_bytes);
  add_empty_folders(folders, found);
  return found;
}

}  // namespace hone
