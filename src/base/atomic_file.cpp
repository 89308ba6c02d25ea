#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/misuse.h"
#include "base/remains.h"

namespace hone {
namespace {

// Many tiny appends (a protobuf writer's) become one system call.
constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
// Below this one write() of the mapped bytes is cheaper than flushing the buffer for a kernel copy.
constexpr std::uint64_t kernel_copy_bytes = std::uint64_t{256} << 10;
// Alignment gaps are cheaper as zeros in the buffer than as a flush and a hole.
constexpr std::uint64_t largest_written_gap = std::uint64_t{64} << 10;

Failure cannot_write(const Path& path, int error_number) {
  const Trouble trouble = trouble_of(error_number);
  const bool is_full = trouble == Trouble::disk_full;
  return fail(Fault::io, trouble, "cannot write '" + path.string() + "'",
              system_message(error_number),
              is_full ? "free some space there, or choose an output on another disk" : "");
}

Failure cannot_create(const Path& path, int error_number) {
  const Path folder = path.parent_path();
  if (error_number == ENOENT && !folder.empty()) {
    return fail(Fault::not_found, "cannot write '" + path.string() + "'",
                system_message(error_number), "create the folder '" + folder.string() + "' first");
  }
  return cannot_write(path, error_number);
}

// As many as write one file at the same time, and more.
constexpr int most_temporaries = 1000;
// How many a killed process can leave: a model and the one that stands in for it meanwhile.
constexpr int usual_remains = 2;

// The same names again and again, so that remains are found without looking through the folder.
// File names end at 255 bytes; the target's may use all of them.
Path temporary_name(const Path& path, int number) {
  return path.parent_path() /
         ("." + path.filename().string().substr(0, 200) + ".hone-" + std::to_string(number));
}

void remove_remains_from(const Path& path, int number) {
  for (const int first = number; number < most_temporaries; ++number) {
    const bool is_there = remove_remains_at(temporary_name(path, number));
    if (!is_there && number >= first + usual_remains) return;
  }
}

struct Temporary {
  Path path;
  Descriptor file;
};

Result<Temporary> make_temporary(const Path& path) {
  for (int number = 0; number < most_temporaries; ++number) {
    Temporary made{temporary_name(path, number), {}};
    (void)remove_remains_at(made.path);
    made.file = Descriptor(::open(made.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!made.file && errno != EEXIST) return cannot_create(path, errno);
    // Between the two calls somebody may have taken it for a remain.
    if (!made.file || !hold(made.file.get(), made.path)) continue;
    remove_remains_from(path, number + 1);
    return made;
  }
  return cannot_create(path, EEXIST);
}

Status refuse_what_is_no_file(const Path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || S_ISREG(facts.st_mode)) return done();
  return fail(Fault::bad_input, "cannot write '" + path.string() + "': it is not a regular file",
              {}, S_ISDIR(facts.st_mode) ? "name a file inside it" : "");
}

// A file that replaces a private one stays private.
void take_over_permissions(const Path& path, int descriptor) {
  struct stat facts {};
  const bool replaces = ::lstat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
  if (replaces) ::fchmod(descriptor, facts.st_mode & 0777);
}

Status write_all(int descriptor, std::string_view bytes, const Path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return cannot_write(path, errno);
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return done();
}

bool kernel_does_not_copy(int error_number) {
  return error_number == EXDEV || error_number == EINVAL || error_number == ENOSYS ||
         error_number == EOPNOTSUPP || error_number == EPERM || error_number == ETXTBSY;
}

struct FilePosition {
  int descriptor;
  off_t offset;
};

// Where in its file a Blob's bytes start; nothing when they are not a file's.
std::optional<FilePosition> position_in_file(const Blob& blob) {
  if (!blob.backing() || blob.backing()->file_descriptor() < 0) return std::nullopt;
  const std::string_view whole = blob.backing()->bytes();
  const std::string_view part = blob.view();
  HONE_CHECK(part.data() >= whole.data() &&
             part.data() + part.size() <= whole.data() + whole.size());
  return FilePosition{blob.backing()->file_descriptor(), part.data() - whole.data()};
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const Path& path) {
  HONE_TRY_DO(refuse_what_is_no_file(path));
  HONE_TRY(Temporary made, make_temporary(path));
  take_over_permissions(path, made.file.get());
  return AtomicFile(path, std::move(made.path), made.file.release());
}

Result<AtomicFile> AtomicFile::take(const Path& made, const Path& path) {
  HONE_TRY_DO(refuse_what_is_no_file(path));
  Descriptor file(::open(made.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return cannot_create(path, errno);
  take_over_permissions(path, file.get());
  HONE_TRY(const std::uint64_t size, size_of_file(made));
  AtomicFile taken(path, made, file.release());
  taken.size_ = size;
  return taken;
}

Result<AtomicFile> AtomicFile::copy_of(const Path& from, const Path& path) {
  HONE_TRY(const Blob source, map_file(from));
  HONE_TRY(AtomicFile file, create(path));
  const bool shares_blocks = !source.empty() && ::ioctl(file.descriptor_, FICLONE,
                                                        source.backing()->file_descriptor()) == 0;
  if (shares_blocks) file.size_ = source.size();
  if (!shares_blocks) HONE_TRY_DO(file.append(source));
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      unfinished_(std::move(other.unfinished_)),
      size_(other.size_),
      buffer_(std::move(other.buffer_)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    discard();
    path_ = std::move(other.path_);
    temporary_ = std::move(other.temporary_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    unfinished_ = std::move(other.unfinished_);
    size_ = other.size_;
    buffer_ = std::move(other.buffer_);
  }
  return *this;
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ < 0) return;
  // While the lock is held: a moment later the name may be somebody else's.
  ::unlink(temporary_.c_str());
  unfinished_ = {};
  ::close(std::exchange(descriptor_, -1));
}

Status AtomicFile::append(std::string_view bytes) {
  HONE_CHECK(descriptor_ >= 0);
  if (buffer_.size() + bytes.size() > buffer_bytes) HONE_TRY_DO(flush());
  if (bytes.size() >= buffer_bytes) {
    HONE_TRY_DO(write_all(descriptor_, bytes, path_));
  } else {
    buffer_ += bytes;
  }
  size_ += bytes.size();
  return done();
}

Status AtomicFile::append(const Blob& blob) {
  std::optional<FilePosition> source = position_in_file(blob);
  if (!source || blob.size() < kernel_copy_bytes) return append(blob.view());
  HONE_TRY_DO(flush());
  std::uint64_t left = blob.size();
  while (left > 0) {
    const ssize_t count =
        ::copy_file_range(source->descriptor, &source->offset, descriptor_, nullptr, left, 0);
    if (count > 0) {
      left -= static_cast<std::uint64_t>(count);
      size_ += static_cast<std::uint64_t>(count);
    } else if (count == 0) {
      return fail(Fault::io, "cannot write '" + path_.string() + "'",
                  "a file it copies from became shorter meanwhile");
    } else if (kernel_does_not_copy(errno)) {
      return append(blob.view().substr(blob.size() - left));
    } else if (errno != EINTR) {
      return cannot_write(path_, errno);
    }
  }
  return done();
}

Status AtomicFile::pad_to(std::uint64_t offset) {
  HONE_CHECK(offset >= size_);
  const std::uint64_t gap = offset - size_;
  if (gap <= largest_written_gap) return append(std::string(gap, '\0'));
  HONE_TRY_DO(flush());
  const auto position = static_cast<off_t>(offset);
  if (::ftruncate(descriptor_, position) != 0) return cannot_write(path_, errno);
  if (::lseek(descriptor_, position, SEEK_SET) < 0) return cannot_write(path_, errno);
  size_ = offset;
  return done();
}

Status AtomicFile::flush() {
  HONE_CHECK(descriptor_ >= 0);
  HONE_TRY_DO(write_all(descriptor_, buffer_, path_));
  buffer_.clear();
  return done();
}

Status AtomicFile::commit(Durability durability) {
  HONE_TRY_DO(flush());
  const bool on_disk = durability == Durability::disk;
  if (on_disk && ::fsync(descriptor_) != 0) return cannot_write(path_, errno);
  unfinished_ = {};  // before the name can be somebody else's
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
  ::close(std::exchange(descriptor_, -1));
  if (!on_disk) return done();
  const Path folder = path_.has_parent_path() ? path_.parent_path() : Path(".");
  const Descriptor entry(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!entry || ::fsync(entry.get()) != 0) return cannot_write(path_, errno);
  return done();
}

Status AtomicFile::commit_as(const Path& path) {
  path_ = path;
  return commit();
}

void remove_remains(const Path& path) { remove_remains_from(path, 0); }

Status refuse_existing(const Path& path, bool overwrite) {
  // What is behind the slash: a file is no folder, whatever its permissions are.
  const Path folder = path.parent_path() / ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return cannot_create(path, errno);
  struct stat facts {};
  if (overwrite || ::lstat(path.c_str(), &facts) != 0) return done();
  return fail(Fault::io, "'" + path.string() + "' exists already", {},
              "choose another name, or --overwrite");
}

Status write_file(const Path& path, std::string_view bytes) {
  HONE_TRY(AtomicFile file, AtomicFile::create(path));
  HONE_TRY_DO(file.append(bytes));
  return file.commit();
}

Status clone_file(const Path& from, const Path& to) {
  HONE_TRY(AtomicFile file, AtomicFile::copy_of(from, to));
  return file.commit();
}

}  // namespace hone
