#include "base/file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/descriptor.h"
#include "base/file_inside.h"
#include "base/misuse.h"
#include "base/remains.h"
#include "base/text.h"
#include "base/unfinished_folders.h"

namespace hone {
namespace {

std::string quoted(const Path& path) { return "'" + path.string() + "'"; }

Failure cannot_read(const Path& path, int error_number) {
  const bool is_missing = error_number == ENOENT || error_number == ENOTDIR;
  return fail(is_missing ? Fault::not_found : Fault::io, trouble_of(error_number),
              "cannot read " + quoted(path), system_message(error_number));
}

// The whole file, and the descriptor its bytes can be copied from.
class MappedFile final : public Backing {
 public:
  MappedFile(Descriptor file, std::string_view bytes) : file_(std::move(file)), bytes_(bytes) {}
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override { ::munmap(const_cast<char*>(bytes_.data()), bytes_.size()); }
  int file_descriptor() const override { return file_.get(); }
  std::string_view bytes() const override { return bytes_; }

 private:
  Descriptor file_;
  std::string_view bytes_;
};

std::string_view kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

Result<std::uint64_t> regular_size(const Path& path, const struct stat& facts) {
  if (S_ISREG(facts.st_mode)) return static_cast<std::uint64_t>(facts.st_size);
  return misuse(
      "cannot read " + quoted(path) + ": it is " + std::string(kind_of_file(facts.st_mode)),
      S_ISDIR(facts.st_mode) ? "name a file inside it" : "save it as a file first");
}

Result<Blob> map_open_file(const Path& path, Descriptor file) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return cannot_read(path, errno);
  HONE_TRY(const std::uint64_t size, regular_size(path, facts));
  if (size == 0) return Blob();
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return cannot_read(path, errno);
  const std::string_view bytes(static_cast<const char*>(start), size);
  return Blob(bytes, std::make_shared<MappedFile>(std::move(file), bytes));
}

// O_NONBLOCK: opening a pipe nobody writes to must be refused, not waited for.
constexpr int open_to_map = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

bool is_stream(mode_t mode) { return !S_ISREG(mode) && !S_ISDIR(mode); }

// /dev/stdin, /dev/fd/3: somebody means to wait for what comes. A pipe among files is a trap.
bool is_named_by_the_system(const Path& path) {
  const std::string text = path.lexically_normal().string();
  return text.starts_with("/dev/") || text.starts_with("/proc/");
}

Failure leaves_the_folder(const Path& folder, const Path& relative, std::string why) {
  return fail(Fault::bad_input, quoted(relative) + " would leave the folder " + quoted(folder),
              std::move(why),
              "copy all files that belong together into one folder (cp -L), then try again");
}

// Why the text alone breaks the rule, or empty.
std::string reason_to_leave(const Path& relative) {
  if (relative.empty()) return "the path is empty";
  if (relative.native().find('\0') != std::string::npos) return "it contains a zero byte";
  if (relative.is_absolute()) return "it is an absolute path";
  if (std::ranges::find(relative, "..") != relative.end()) return "it contains '..'";
  return {};
}

bool is_beneath(const Path& folder, const Path& path) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

// Opens a path that has no links left. The kernel holds it to stay below the folder, which closes
// the gap between our check and this call; kernels before 5.6 and some sandboxes do not offer that.
Descriptor open_beneath(const Path& folder, const Path& resolved) {
  const Descriptor at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at) return {};
  open_how how{};
  how.flags = static_cast<decltype(how.flags)>(open_to_map);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  Descriptor file(
      static_cast<int>(::syscall(SYS_openat2, at.get(), resolved.c_str(), &how, sizeof how)));
  if (file || (errno != ENOSYS && errno != EPERM && errno != EINVAL)) return file;
  return Descriptor(::openat(at.get(), resolved.c_str(), open_to_map | O_NOFOLLOW));
}

}  // namespace

Result<Blob> map_file(const Path& path) {
  Descriptor file(::open(path.c_str(), open_to_map));
  if (!file) return cannot_read(path, errno);
  return map_open_file(path, std::move(file));
}

Status check_stays_inside(const Path& relative) {
  std::string why = reason_to_leave(relative);
  if (why.empty()) return done();
  return fail(Fault::bad_input, quoted(relative) + " would leave the folder it belongs to",
              std::move(why), "name a file inside the folder, without '..'");
}

Result<Descriptor> open_file_inside(const Path& folder, const Path& relative) {
  const Path start = folder.empty() ? Path(".") : folder;
  if (std::string why = reason_to_leave(relative); !why.empty()) {
    return leaves_the_folder(start, relative, std::move(why));
  }
  const Path asked = folder / relative;
  std::error_code error;
  const Path real_folder = std::filesystem::canonical(start, error);
  if (error) return cannot_read(start, error.value());
  const Path real_path = std::filesystem::canonical(asked, error);
  if (error) return cannot_read(asked, error.value());
  if (!is_beneath(real_folder, real_path)) {
    return leaves_the_folder(start, relative, "a symbolic link leads to " + quoted(real_path));
  }
  Descriptor file = open_beneath(real_folder, real_path.lexically_relative(real_folder));
  if (!file) return cannot_read(asked, errno);
  return file;
}

Result<Blob> map_file_inside(const Path& folder, const Path& relative) {
  HONE_TRY(Descriptor file, open_file_inside(folder, relative));
  return map_open_file(folder / relative, std::move(file));
}

Result<std::string> read_file(const Path& path, std::uint64_t limit) {
  const Descriptor file(::open(path.c_str(), open_to_map));
  if (!file) return cannot_read(path, errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return cannot_read(path, errno);
  if (is_stream(facts.st_mode)) {
    if (!is_named_by_the_system(path)) return fail(regular_size(path, facts).error());
    const int flags = ::fcntl(file.get(), F_GETFL);
    if (flags < 0 || ::fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) != 0)
      return cannot_read(path, errno);
  }
  // The size is a guess: pipes and files of /proc say 0 and have content all the same.
  constexpr std::uint64_t chunk = std::uint64_t{64} << 10;
  const auto expected = static_cast<std::uint64_t>(std::max<off_t>(facts.st_size, 0));
  std::string bytes;
  std::uint64_t length = 0;
  while (expected <= limit && length <= limit) {
    if (length == bytes.size()) bytes.resize(std::max({expected + 1, 2 * length, chunk}));
    const ssize_t count = ::read(file.get(), bytes.data() + length, bytes.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(path, errno);
    length += static_cast<std::uint64_t>(count);
    if (count == 0 && length <= limit) {
      bytes.resize(length);
      return bytes;
    }
  }
  return fail(Fault::bad_input,
              "cannot read " + quoted(path) + ": it is larger than " + format_bytes(limit));
}

Result<std::uint64_t> size_of_file(const Path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return cannot_read(path, errno);
  return regular_size(path, facts);
}

std::string stamp_of_file(const Path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return path.string() + " absent";
  return path.string() + " " + std::to_string(facts.st_size) + " " +
         std::to_string(facts.st_mtim.tv_sec) + "." + std::to_string(facts.st_mtim.tv_nsec);
}

Result<TemporaryFolder> TemporaryFolder::create(std::string_view purpose) {
  const auto hint = "set TMPDIR to a folder that can be written";
  std::error_code error;
  const Path parent = std::filesystem::temp_directory_path(error);
  if (!error) return make(parent / ("hone-" + std::string(purpose) + "-"), hint);
  return fail(Fault::io, "cannot create a temporary folder", error.message(), hint);
}

Result<TemporaryFolder> TemporaryFolder::create_in(const Path& parent, std::string_view name) {
  const Path start = parent / ("." + std::string(name.substr(0, 200)) + ".hone-");
  remove_folders_left(start);
  return make(start, {});
}

Result<TemporaryFolder> TemporaryFolder::make(const Path& start, std::string hint) {
  if (std::optional<HeldFolder> made = make_held_folder(start)) {
    list_unfinished_folder(made->path.string());
    return TemporaryFolder(std::move(made->path), std::move(made->lock));
  }
  const std::error_code error(errno, std::generic_category());
  return fail(Fault::io, "cannot create a temporary folder in " + quoted(start.parent_path()),
              error.message(), std::move(hint));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (path_.empty()) return;
  std::filesystem::remove_all(path_, ignored);
  forget_unfinished_folder(path_.string());
}

}  // namespace hone
