#pragma once
// Files: mapped for reading, written atomically. A reader never sees half of what we write: data
// goes to a temporary name in the same folder (".name.hone-0") and takes the final name in one
// step.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "base/result.h"
#include "base/unfinished_files.h"

namespace hone {

using Path = std::filesystem::path;

// Maps a regular file read-only; an empty file is an empty Blob. Folders, pipes and devices are
// refused. Truncating the file while it is mapped ends the process (SIGBUS): the price of
// zero-copy.
Result<Blob> map_file(const Path& path);

// Maps `relative` below `folder` and refuses, before a byte is read, whatever would leave the
// folder: absolute paths, "..", and symbolic links that point outside.
Result<Blob> map_file_inside(const Path& folder, const Path& relative);

// The rule of map_file_inside as far as the text alone can break it.
Status check_stays_inside(const Path& relative);

// Reads a whole file, or a pipe to its end, into memory; more than `limit` bytes are refused.
Result<std::string> read_file(const Path& path, std::uint64_t limit = std::uint64_t{1} << 31);

// Of a regular file; anything else is refused.
Result<std::uint64_t> size_of_file(const Path& path);

// Name, size and time of the last change: what tells two states of a file apart without reading it.
// "absent" stands for the last two where there is no such file.
std::string stamp_of_file(const Path& path);

// What a finished write survives.
enum class Durability {
  process,  // our own end at any moment, kill -9 included
  disk,     // loss of power too: waits until the disk has it
};

// One atomic write. Destroying it without commit() removes the temporary file; a process that is
// killed leaves it behind and the target as it was, and who writes the same file next clears it
// away: nobody holds its lock. A file that is replaced hands on its permissions. A symbolic link is
// replaced, not followed: what it points to may be shared (model caches link their blobs). Devices,
// pipes and folders are refused.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const Path& path);
  // A file that is complete elsewhere on the same file system: commit() moves it to `path`.
  static Result<AtomicFile> take(const Path& made, const Path& path);
  // A copy of a file, complete: by reflink, inside the kernel, or through memory.
  static Result<AtomicFile> copy_of(const Path& from, const Path& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  Status append(std::string_view bytes);
  // Copies file to file inside the kernel where the Blob is a mapped file's (reflink or
  // copy_file_range where the file system has them), else like append.
  Status append(const Blob& blob);
  // Moves the write position forward; the hole reads as zeros. REQUIRES: offset >= size().
  Status pad_to(std::uint64_t offset);
  std::uint64_t size() const { return size_; }
  const Path& path() const { return path_; }
  // Appends are buffered: what was appended is in the file after flush().
  Status flush();
  int file_descriptor() const { return descriptor_; }

  // Flushes and renames; the old file is replaced as a whole or not at all. The default does not
  // wait for the disk, as cp does not: an artifact is checked by its hash and can be built again,
  // while a slow disk makes the wait longer than the write. REQUIRES: not committed before.
  Status commit(Durability durability = Durability::process);
  // The same under another name in the folder, which path() tells from then on.
  Status commit_as(const Path& path);

 private:
  AtomicFile(Path path, Path temporary, int descriptor)
      : path_(std::move(path)),
        temporary_(std::move(temporary)),
        descriptor_(descriptor),
        unfinished_(temporary_.native()) {}
  void discard();
  Path path_;
  Path temporary_;
  int descriptor_ = -1;
  UnfinishedFile unfinished_;
  std::uint64_t size_ = 0;
  std::string buffer_;
};

// An output that is there already is refused, so that nothing is replaced that nobody named; and
// one whose folder is not there, before work is put into it.
Status refuse_existing(const Path& path, bool overwrite);

Status write_file(const Path& path, std::string_view bytes);

// Clears away what killed processes left of writing this file.
void remove_remains(const Path& path);

// Copies a file atomically. (Not copy_file: an unqualified call would find std::filesystem's as
// well, as it would for file_size.)
Status clone_file(const Path& from, const Path& to);

// A folder that is removed with all it holds when the object goes.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create(std::string_view purpose);
  // In a folder that is there, for files that are to be renamed into it: ".name.hone-XXXXXX". What
  // a killed process left under that name is cleared away.
  static Result<TemporaryFolder> create_in(const Path& parent, std::string_view name);
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const Path& path() const { return path_; }

 private:
  static Result<TemporaryFolder> make(const Path& start, std::string hint);
  TemporaryFolder(Path path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  Path path_;
  Descriptor lock_;  // held while somebody works in it
};

}  // namespace hone
