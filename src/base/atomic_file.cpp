#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/random.h"

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

// A name that no other thread or process is likely to choose; O_EXCL decides.
Path temporary_name(const Path& path) {
  static std::atomic<std::uint64_t> counter{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  Random random(mix64(static_cast<std::uint64_t>(now)) ^
                mix64(static_cast<std::uint64_t>(::getpid()) << 32 | counter++));
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  // File names end at 255 bytes; the target's may use all of them.
  std::string name = "." + path.filename().string().substr(0, 200) + ".hone-";
  for (int i = 0; i < 6; ++i) name += letters[random.below(letters.size())];
  return path.parent_path() / name;
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
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    return fail(Fault::bad_input, "cannot write '" + path.string() + "': it is not a regular file",
                {}, S_ISDIR(facts.st_mode) ? "name a file inside it" : "");
  }
  for (int attempt = 0; attempt < 100; ++attempt) {
    Path temporary = temporary_name(path);
    const int descriptor = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) return cannot_create(path, errno);
    take_over_permissions(path, descriptor);
    return AtomicFile(path, std::move(temporary), descriptor);
  }
  return cannot_create(path, EEXIST);
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
  ::close(std::exchange(descriptor_, -1));
  ::unlink(temporary_.c_str());
  unfinished_ = {};
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
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
  ::close(std::exchange(descriptor_, -1));
  unfinished_ = {};
  if (!on_disk) return done();
  const Path folder = path_.has_parent_path() ? path_.parent_path() : Path(".");
  const Descriptor entry(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!entry || ::fsync(entry.get()) != 0) return cannot_write(path_, errno);
  return done();
}

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
  HONE_TRY(const Blob source, map_file(from));
  HONE_TRY(AtomicFile file, AtomicFile::create(to));
  const bool shares_blocks = !source.empty() && ::ioctl(file.file_descriptor(), FICLONE,
                                                        source.backing()->file_descriptor()) == 0;
  if (!shares_blocks) HONE_TRY_DO(file.append(source));
  return file.commit();
}

}  // namespace hone
