#pragma once
// Where the content store keeps its blobs: files named by their SHA-256, and a folder on the same
// file system for what is not finished. Knows nothing of who holds what. Links are never followed:
// what is not a plain file under a blob's name is no blob.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/result.h"

namespace hone {

using SystemTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

// What the file system says of a file itself, never of what a link points to.
struct FileFacts {
  bool is_regular = false;
  bool is_folder = false;
  dev_t device = 0;
  ino_t inode = 0;
  mode_t mode = 0;  // permissions
  uid_t user = 0;
  std::uint64_t names = 0;  // hard links
  std::uint64_t bytes = 0;
  SystemTime written{};  // when its bytes changed last (mtime)
  SystemTime touched{};  // when anything of it changed last, its links included (ctime)

  bool may_be_written() const { return (mode & 0222) != 0; }
  bool is_same_file(const FileFacts& other) const {
    return device == other.device && inode == other.inode;
  }
  // The same file, and nobody wrote to it in between.
  bool is_unchanged(const FileFacts& other) const {
    return is_same_file(other) && is_regular == other.is_regular && bytes == other.bytes &&
           written == other.written;
  }
};

// Nothing where there is no such file.
Result<std::optional<FileFacts>> facts_of(const Path& path);
Result<FileFacts> facts_of_descriptor(int descriptor, const Path& path);

// A temporary file that goes unless it was given its name. While it lives nobody takes it for one
// that a killed process left.
class StagedFile {
 public:
  StagedFile(Path path, Descriptor in_use) : path_(std::move(path)), in_use_(std::move(in_use)) {}
  StagedFile(StagedFile&& other) noexcept
      : path_(std::exchange(other.path_, {})), in_use_(std::move(other.in_use_)) {}
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile() { discard(); }
  const Path& path() const { return path_; }
  // In one step; what had the name before is replaced.
  Status rename_to(const Path& name) const;
  void discard() const;

 private:
  Path path_;
  Descriptor in_use_;
};

// Where the bytes of a blob come from, as it was before they were hashed.
struct SourceFile {
  Path path;
  FileFacts facts;
};
// A regular file that is not a link. Returns once a write to it would be seen by its time.
Result<SourceFile> look_at_source(const Path& path);
// An error where it is not what it was, or somebody has it open for writing.
Status check_is_at_rest(const SourceFile& source);

struct ListedBlob {
  std::string sha256;
  Path path;
  FileFacts facts;
};

struct BlobList {
  std::vector<ListedBlob> blobs;  // sorted
  std::vector<Path> strangers;    // sorted
};

struct LeftOver {
  Path path;
  FileFacts facts;
};

class BlobFolder {
 public:
  // Makes the folders where they are not there. One that is a link or a file is refused.
  static Result<BlobFolder> open(const Path& root);

  // REQUIRES: is_sha256(sha256).
  Path path_of(const std::string& sha256) const;
  // What lies under that name; nothing where there is none. An error where a link or a file is in
  // the place of its folder.
  Result<std::optional<FileFacts>> look(const std::string& sha256) const;
  Result<BlobList> list() const;

  // Hands over what killed processes left; nothing while any process stages a file.
  Status visit_left_over(const std::function<Status(const LeftOver&)>& visit) const;

  // The bytes of the source, read-only and under a temporary name: the file itself where it may
  // become the blob, else a copy, which is held to the hash.
  Result<StagedFile> stage(const SourceFile& source, const std::string& sha256) const;
  Result<StagedFile> stage_bytes(std::string_view bytes) const;
  // Gives it the blob's name; what had it before is replaced.
  Status publish(StagedFile staged, const std::string& sha256) const;

  // Another name for the blob, in one step. False where the file system has no such link to give
  // (another disk, too many names); nothing has changed then.
  Result<bool> link_to(const std::string& sha256, const Path& to) const;

 private:
  explicit BlobFolder(Path root) : root_(std::move(root)) {}
  Path staging() const { return root_ / "staging"; }
  Result<StagedFile> new_staged() const;
  Path root_;
};

// 64 digits of lowercase hexadecimal.
bool is_sha256(std::string_view text);

// Nobody may write to it.
Status make_read_only(const Path& path);

}  // namespace hone
