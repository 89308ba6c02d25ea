#include "base/folder.h"

#include <algorithm>

#include "base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

bool is_gone(const std::error_code& problem) {
  return problem == std::errc::no_such_file_or_directory || problem == std::errc::not_a_directory;
}

Failure cannot_list(const Path& folder, const std::error_code& problem) {
  return fail(is_gone(problem) ? Fault::not_found : Fault::io,
              "cannot list '" + folder.string() + "'", problem.message());
}

// The folder's own list knows the usual kinds: no look at each entry.
fs::file_type type_of(const fs::directory_entry& entry, std::error_code& problem) {
  if (entry.is_symlink(problem)) return fs::file_type::symlink;
  if (entry.is_regular_file(problem)) return fs::file_type::regular;
  if (entry.is_directory(problem)) return fs::file_type::directory;
  return entry.symlink_status(problem).type();
}

class Walker {
 public:
  Walker(const Path& root, bool goes_down, std::size_t most)
      : root_(root), goes_down_(goes_down), most_(most) {}

  Result<std::vector<FolderEntry>> run() {
    HONE_TRY_DO(list(root_, ""));
    while (!waiting_.empty()) {
      const FolderEntry folder = std::move(waiting_.back());
      waiting_.pop_back();
      HONE_TRY_DO(list(folder.path, folder.name + "/"));
    }
    std::ranges::sort(entries_, {}, &FolderEntry::name);
    return std::move(entries_);
  }

 private:
  Status list(const Path& folder, const std::string& prefix) {
    std::error_code problem;
    fs::directory_iterator entry(folder, problem);
    for (; !problem && entry != fs::directory_iterator(); entry.increment(problem))
      HONE_TRY_DO(add(*entry, prefix));
    const bool is_root = prefix.empty();
    return problem && (is_root || !is_gone(problem)) ? Status(cannot_list(folder, problem))
                                                     : done();
  }

  Status add(const fs::directory_entry& found, const std::string& prefix) {
    FolderEntry entry{.path = found.path(), .name = prefix + found.path().filename().string()};
    std::error_code problem;
    entry.type = type_of(found, problem);
    if (entry.type == fs::file_type::not_found) return done();
    if (problem) return cannot_list(entry.path, problem);
    entry.leads_to = entry.is_link() ? fs::status(entry.path, problem).type() : entry.type;
    if (entries_.size() == most_)
      return fail(Fault::bad_input, "'" + root_.string() + "' is too large",
                  "it has more than " + format_count(most_) + " entries");
    if (goes_down_ && entry.type == fs::file_type::directory) waiting_.push_back(entry);
    entries_.push_back(std::move(entry));
    return done();
  }

  const Path& root_;
  bool goes_down_;
  std::size_t most_;
  std::vector<FolderEntry> waiting_;
  std::vector<FolderEntry> entries_;
};

Result<std::vector<Path>> files_of(Result<std::vector<FolderEntry>> entries) {
  HONE_TRY(std::vector<FolderEntry> all, std::move(entries));
  std::vector<Path> files;
  for (FolderEntry& entry : all)
    if (entry.is_file()) files.push_back(std::move(entry.path));
  return files;
}

}  // namespace

Result<std::vector<FolderEntry>> list_folder(const Path& folder) {
  return Walker(folder, false, most_folder_entries).run();
}

Result<std::vector<FolderEntry>> walk_folder(const Path& folder, std::size_t most) {
  return Walker(folder, true, most).run();
}

Result<std::vector<Path>> files_in(const Path& folder) { return files_of(list_folder(folder)); }
Result<std::vector<Path>> files_below(const Path& folder) { return files_of(walk_folder(folder)); }

}  // namespace hone
