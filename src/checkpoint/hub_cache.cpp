#include "checkpoint/hub_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/folder.h"
#include "base/join_some.h"
#include "base/system_files.h"
#include "checkpoint/hub_files.h"

namespace hone::hub {
namespace {

constexpr std::string_view folder_start = "models--";
constexpr std::size_t most_cached_files = 10'000;
constexpr std::uint64_t most_index_bytes = std::uint64_t{64} << 20;

// "org/name" is "org--name"; neither has "--" inside.
std::string with_dashes(std::string name) {
  const std::size_t slash = name.find('/');
  return slash == std::string::npos ? name : name.replace(slash, 1, "--");
}

std::string with_slash(std::string name) {
  const std::size_t dashes = name.find("--");
  return dashes == std::string::npos ? name : name.replace(dashes, 2, "/");
}

Failure cannot_make(const Path& path, int number) {
  return fail(Fault::runtime, trouble_of(number), "cannot make '" + path.string() + "'",
              system_message(number),
              "HF_HOME or HF_HUB_CACHE name the folder of the cache; it has to be writable");
}

Status make_folder(const Path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  return problem ? Status(cannot_make(folder, problem.value())) : done();
}

bool is_same_file(int descriptor, const Path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

std::vector<std::string> names_in(const Path& folder) {
  std::vector<std::string> names;
  const auto entries = list_folder(folder);
  if (!entries) return names;
  for (const FolderEntry& entry : *entries) names.push_back(entry.name);
  return names;
}

}  // namespace

bool is_commit(std::string_view text) {
  return text.size() == 40 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Cache::Cache(Path cache, const std::string& repository)
    : cache_(std::move(cache)),
      repository_(repository),
      name_(std::string(folder_start) + with_dashes(repository)),
      folder_(cache_ / name_) {}

std::optional<std::string> Cache::commit_of(const std::string& revision) const {
  if (is_commit(revision)) return revision;
  const auto noted = read_line(folder_ / "refs" / revision);
  return noted && is_commit(*noted) ? noted : std::nullopt;
}

bool Cache::has(const std::string& commit, const std::string& file) const {
  std::error_code ignored;
  return std::filesystem::is_regular_file(snapshot(commit) / file, ignored);
}

Result<Path> Cache::whole_snapshot(const std::string& commit) const {
  const Path folder = snapshot(commit);
  HONE_TRY(const std::vector<FolderEntry> entries, walk_folder(folder, most_cached_files));
  std::vector<std::string> names;
  for (const FolderEntry& entry : entries)
    if (entry.is_file()) names.push_back(entry.name);
  HONE_TRY(const WantedFiles wanted, choose_files(repository_, names));
  if (!wanted.has_index) return folder;
  HONE_TRY(const std::string index, read_file(folder / weights_index, most_index_bytes));
  HONE_TRY_DO(shards_of_index(index, names));
  return folder;
}

Status Cache::make_folders() const {
  HONE_TRY_DO(make_folder(folder_ / "blobs"));
  return make_folder(cache_ / ".locks" / name_);
}

Result<Descriptor> Cache::hold(const std::string& digest, const std::atomic<bool>* stop) const {
  const Path path = cache_ / ".locks" / name_ / (digest + ".lock");
  for (;;) {
    // Group-writable, as others make it: a cache may be shared by the users of a machine.
    Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0664));
    if (!lock) return cannot_make(path, errno);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) {
      // Some remove the file of a lock as they let it go.
      if (is_same_file(lock.get(), path)) return lock;
      continue;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) return lock;
    if (stop != nullptr && *stop)
      return fail(Fault::runtime, "waiting for '" + path.string() + "' was stopped",
                  "another process fetches the same content");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

Status Cache::link(const std::string& commit, const std::string& file,
                   const std::string& digest) const {
  const Path place = snapshot(commit) / file;
  HONE_TRY_DO(make_folder(place.parent_path()));
  std::string target = "../../blobs/" + digest;
  for (const char c : file)
    if (c == '/') target.insert(0, "../");
  std::error_code problem;
  std::filesystem::create_symlink(target, place, problem);
  if (!problem) return done();
  if (problem != std::errc::file_exists)
    return fail(Fault::runtime, trouble_of(problem.value()),
                "cannot make the link '" + place.string() + "'", problem.message(),
                "the cache needs a file system with symbolic links: HF_HOME names another place");
  // Somebody else was as fast as we were, or a link of before leads nowhere.
  if (has(commit, file)) return done();
  HONE_TRY(const TemporaryFolder aside, TemporaryFolder::create_in(place.parent_path(), "link"));
  std::filesystem::create_symlink(target, aside.path() / "link", problem);
  if (!problem) std::filesystem::rename(aside.path() / "link", place, problem);
  return problem ? Status(cannot_make(place, problem.value())) : done();
}

Status Cache::note(const std::string& revision, const std::string& commit) const {
  if (revision == commit || commit_of(revision) == commit) return done();
  const Path place = folder_ / "refs" / revision;
  HONE_TRY_DO(make_folder(place.parent_path()));
  return write_file(place, commit);
}

std::vector<std::string> Cache::repositories() const {
  std::vector<std::string> found;
  for (const std::string& name : names_in(cache_)) {
    std::error_code ignored;
    if (!name.starts_with(folder_start)) continue;
    if (!std::filesystem::exists(cache_ / name / "snapshots", ignored)) continue;
    found.push_back(printable(with_slash(name.substr(folder_start.size()))));
  }
  return found;
}

std::string Cache::described() const {
  const std::vector<std::string> commits = names_in(folder_ / "snapshots");
  if (!commits.empty()) {
    std::vector<std::string> revisions;
    if (const auto refs = files_below(folder_ / "refs"); refs)
      for (const Path& ref : *refs)
        revisions.push_back(printable(ref.lexically_relative(folder_ / "refs").string()));
    return "the cache has of it " +
           (revisions.empty() ? "" : "the revisions " + join_some(revisions, 5) + ", and ") +
           "the commits " + join_some(commits, 3);
  }
  const std::vector<std::string> others = repositories();
  if (others.empty()) return "the cache, '" + cache_.string() + "', has no models";
  return "the cache has " + join_some(others, 8);
}

}  // namespace hone::hub
