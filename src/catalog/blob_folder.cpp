#include "catalog/blob_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <thread>

#include "base/folder.h"
#include "base/hash_file.h"

namespace hone {
namespace {

constexpr mode_t read_only = 0444;

Failure cannot(const std::string& verb, const Path& path, int error_number) {
  const bool is_missing = error_number == ENOENT || error_number == ENOTDIR;
  const Trouble trouble = trouble_of(error_number);
  const bool is_full = trouble == Trouble::disk_full;
  return fail(is_missing ? Fault::not_found : Fault::io, trouble,
              "cannot " + verb + " '" + path.string() + "'", system_message(error_number),
              is_full ? "free some space there: hone store gc" : "");
}

SystemTime time_of(const timespec& time) {
  return SystemTime(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

FileFacts facts_from(const struct stat& facts) {
  return {.is_regular = S_ISREG(facts.st_mode),
          .is_folder = S_ISDIR(facts.st_mode),
          .device = facts.st_dev,
          .inode = facts.st_ino,
          .mode = facts.st_mode & 07777,
          .user = facts.st_uid,
          .names = static_cast<std::uint64_t>(facts.st_nlink),
          .bytes = static_cast<std::uint64_t>(facts.st_size),
          .written = time_of(facts.st_mtim),
          .touched = time_of(facts.st_ctim)};
}

// The clock that the kernel stamps files with moves in steps of some milliseconds. A write within
// the step of the last one would not be seen.
void wait_until_clock_passes(SystemTime written) {
  constexpr auto longest_step = std::chrono::milliseconds(20);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (written > time_of(now) + longest_step) return;
  while (time_of(now) <= written) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  }
}

// The kernel gives no lease on a file that is open for writing; where it gives none at all (a
// network's file system, somebody else's file) we do not know, and size and time must do.
bool is_open_for_writing(int descriptor) {
  // Should somebody open it right now, SIGIO would end us; this one is ignored.
  ::fcntl(descriptor, F_SETSIG, SIGURG);
  if (::fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0) {
    ::fcntl(descriptor, F_SETLEASE, F_UNLCK);
    return false;
  }
  return errno == EAGAIN;
}

Failure has_changed(const Path& path, std::string why) {
  return fail(Fault::io, "cannot take '" + path.string() + "' into the store", std::move(why),
              "take it when it is finished");
}

Status check_descriptor_at_rest(int descriptor, const SourceFile& source) {
  HONE_TRY(const FileFacts now, facts_of_descriptor(descriptor, source.path));
  if (!now.is_unchanged(source.facts)) {
    return has_changed(source.path, "it changed while it was read");
  }
  if (is_open_for_writing(descriptor)) {
    return has_changed(source.path, "a process has it open for writing");
  }
  return done();
}

Descriptor open_itself(const Path& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

// Another name of the file: what was taken and what is at rest is checked again once nobody can
// open it for writing any more. Nothing where it cannot become the blob itself.
Result<bool> stage_itself(const SourceFile& source, const Path& staged) {
  const bool is_ours_alone = source.facts.names == 1 && source.facts.user == ::geteuid();
  if (!is_ours_alone || ::link(source.path.c_str(), staged.c_str()) != 0) return false;
  const Descriptor file = open_itself(staged);
  if (!file) return cannot("read", source.path, errno);
  if (::fchmod(file.get(), read_only) != 0) return false;
  Status rests = check_descriptor_at_rest(file.get(), source);
  if (rests) return true;
  ::fchmod(file.get(), source.facts.mode);
  return fail(std::move(rests).error());
}

Status stage_copy(const SourceFile& source, const std::string& sha256, const Path& staged) {
  HONE_TRY_DO(clone_file(source.path, staged));
  HONE_TRY_DO(make_read_only(staged));
  HONE_TRY(const Digest digest, hash_of_file(staged));
  if (digest.hex() == sha256) return done();
  return has_changed(source.path, "it changed while it was copied");
}

Status make_folder(const Path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  HONE_TRY(const auto facts, facts_of(folder));
  if (facts && facts->is_folder) return done();
  return fail(Fault::bad_input, "cannot use '" + folder.string() + "' for the store",
              problem ? problem.message() : "it is not a folder",
              "it was left as it is: move it away, or choose another store");
}

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Status add_blobs_of(const Path& folder, BlobList& list) {
  HONE_TRY(const std::vector<FolderEntry> entries, list_folder(folder));
  for (const FolderEntry& entry : entries) {
    HONE_TRY(const auto facts, facts_of(entry.path));
    if (!facts) continue;  // gone since
    const bool is_here = entry.name.starts_with(folder.filename().string());
    if (facts->is_regular && is_sha256(entry.name) && is_here) {
      list.blobs.push_back({entry.name, entry.path, *facts});
    } else {
      list.strangers.push_back(entry.path);
    }
  }
  return done();
}

}  // namespace

bool is_sha256(std::string_view text) { return is_hex(text, 64); }

Result<std::optional<FileFacts>> facts_of(const Path& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0) return std::optional(facts_from(facts));
  if (errno == ENOENT) return std::optional<FileFacts>();
  return cannot("look at", path, errno);
}

Result<FileFacts> facts_of_descriptor(int descriptor, const Path& path) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return cannot("look at", path, errno);
  return facts_from(facts);
}

Status make_read_only(const Path& path) {
  if (::chmod(path.c_str(), read_only) != 0) return cannot("protect", path, errno);
  return done();
}

void StagedFile::discard() const {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Status StagedFile::rename_to(const Path& name) const {
  // Where both are the same file rename() does nothing, and our own name stays to be removed.
  if (::rename(path_.c_str(), name.c_str()) != 0) return cannot("write", name, errno);
  return done();
}

Result<SourceFile> look_at_source(const Path& path) {
  HONE_TRY(const auto facts, facts_of(path));
  if (!facts) return cannot("take", path, ENOENT);
  if (!facts->is_regular) {
    return fail(Fault::bad_input, "cannot take '" + path.string() + "' into the store",
                "it is not a regular file", "a link is taken as what it points to: name that file");
  }
  wait_until_clock_passes(facts->written);
  return SourceFile{path, *facts};
}

Status check_is_at_rest(const SourceFile& source) {
  const Descriptor file = open_itself(source.path);
  if (!file) return cannot("read", source.path, errno);
  return check_descriptor_at_rest(file.get(), source);
}

Result<BlobFolder> BlobFolder::open(const Path& root) {
  BlobFolder folder(root);
  HONE_TRY_DO(make_folder(root / "blobs"));
  HONE_TRY_DO(make_folder(root / "blobs" / "sha256"));
  HONE_TRY_DO(make_folder(folder.staging()));
  return folder;
}

Path BlobFolder::path_of(const std::string& sha256) const {
  HONE_CHECK(is_sha256(sha256));
  return root_ / "blobs" / "sha256" / sha256.substr(0, 2) / sha256;
}

Result<std::optional<FileFacts>> BlobFolder::look(const std::string& sha256) const {
  const Path path = path_of(sha256);
  HONE_TRY(const auto folder, facts_of(path.parent_path()));
  if (!folder) return std::optional<FileFacts>();
  if (folder->is_folder) return facts_of(path);
  return fail(Fault::bad_input,
              "the store is damaged: '" + path.parent_path().string() + "' is not a folder", {},
              "it was left as it is: move it away");
}

Result<StagedFile> BlobFolder::new_staged() const {
  static std::atomic<std::uint64_t> count{0};
  Descriptor in_use(::open(staging().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!in_use) return cannot("use", staging(), errno);
  // Waits for nobody but a gc that is removing what was left.
  while (::flock(in_use.get(), LOCK_SH) != 0 && errno == EINTR) {
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string name =
      std::to_string(::getpid()) + "-" + std::to_string(now) + "-" + std::to_string(++count);
  return StagedFile(staging() / name, std::move(in_use));
}

Status BlobFolder::visit_left_over(const std::function<Status(const LeftOver&)>& visit) const {
  const Descriptor idle(::open(staging().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!idle) return cannot("use", staging(), errno);
  if (::flock(idle.get(), LOCK_EX | LOCK_NB) != 0) return done();
  HONE_TRY(const std::vector<FolderEntry> entries, list_folder(staging()));
  for (const FolderEntry& entry : entries) {
    HONE_TRY(const auto facts, facts_of(entry.path));
    if (facts && !facts->is_folder) HONE_TRY_DO(visit({entry.path, *facts}));
  }
  return done();
}

Result<StagedFile> BlobFolder::stage(const SourceFile& source, const std::string& sha256) const {
  HONE_TRY(StagedFile staged, new_staged());
  HONE_TRY(const bool is_itself, stage_itself(source, staged.path()));
  if (is_itself) return staged;
  staged.discard();
  HONE_TRY_DO(stage_copy(source, sha256, staged.path()));
  return staged;
}

Result<StagedFile> BlobFolder::stage_bytes(std::string_view bytes) const {
  HONE_TRY(StagedFile staged, new_staged());
  HONE_TRY_DO(write_file(staged.path(), bytes));
  HONE_TRY_DO(make_read_only(staged.path()));
  return staged;
}

Status BlobFolder::publish(StagedFile staged, const std::string& sha256) const {
  const Path blob = path_of(sha256);
  HONE_TRY_DO(make_folder(blob.parent_path()));
  return staged.rename_to(blob);
}

Result<bool> BlobFolder::link_to(const std::string& sha256, const Path& to) const {
  const Path blob = path_of(sha256);
  HONE_TRY(const StagedFile staged, new_staged());
  if (::link(blob.c_str(), staged.path().c_str()) != 0) {
    if (errno == EMLINK || errno == EPERM) return false;
    return cannot("use", blob, errno);
  }
  if (::rename(staged.path().c_str(), to.c_str()) == 0) return true;
  if (errno == EXDEV) return false;
  return cannot("write", to, errno);
}

Result<BlobList> BlobFolder::list() const {
  BlobList list;
  HONE_TRY(const std::vector<FolderEntry> folders, list_folder(root_ / "blobs" / "sha256"));
  for (const FolderEntry& folder : folders) {
    HONE_TRY(const auto facts, facts_of(folder.path));
    if (facts && facts->is_folder && is_hex(folder.name, 2)) {
      HONE_TRY_DO(add_blobs_of(folder.path, list));
    } else {
      list.strangers.push_back(folder.path);
    }
  }
  return list;
}

}  // namespace hone
