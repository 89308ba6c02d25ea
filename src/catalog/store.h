#pragma once
// The content store: files by the SHA-256 of their bytes, each once, and who holds them. Several
// processes may use one store; one ContentStore is used by one thread at a time.
//
//   blobs/sha256/<2 digits>/<64 digits>   the bytes: read-only, written once
//   staging/                              what is not finished
//   store.db                              who holds what: owner, path, SHA-256, size
//
// A blob appears as a whole and is removed only when nobody holds it. A process that is killed
// leaves at most a file in staging/, which gc() removes. Loss of power may damage the last
// blobs: verify() finds them, and the next take() of the same bytes mends them.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/database.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/result.h"
#include "catalog/blob_folder.h"
#include "record/store.h"

namespace hone {

struct StoredBlob {
  std::string sha256;
  std::uint64_t bytes = 0;
  bool was_there = false;
};

// A file of an owner's package, and the blob that has its bytes.
struct HeldFile {
  std::string path;  // inside the package
  std::string sha256;
  std::uint64_t bytes = 0;
};

struct StoreOptions {
  std::chrono::milliseconds patience = std::chrono::minutes(1);  // with other processes
};

struct GcOptions {
  // Blobs that were taken, placed or linked within it stay, so that whoever took one has time to
  // hold it.
  std::chrono::seconds grace = std::chrono::hours(1);
  bool is_dry_run = false;
};

class ContentStore {
 public:
  // Made where there is none. A store.db that is no database, is of another version or program, or
  // stays locked is refused and left as it is.
  static Result<ContentStore> open(const Path& root, const StoreOptions& options = {});
  // Refused where there is none.
  static Result<ContentStore> open_existing(const Path& root, const StoreOptions& options = {});

  // Makes the bytes of a file exist once. Where the store does not have them, the file becomes the
  // blob (or a copy does: of a file on another disk, with other names, or of another user); where
  // it does, the file is replaced in one step by a link to the blob, after the blob has been read
  // and found good. A damaged blob is replaced by the good bytes. Afterwards the file is read-only
  // and may be the same file as others: to change it, write a new one and rename it. A file that
  // cannot be read, changes meanwhile or is open for writing is an error and stays as it is.
  Result<StoredBlob> take(const Path& file);
  // The same for many: they are read in parallel. The first error ends it.
  Result<std::vector<StoredBlob>> take_all(const std::vector<Path>& files,
                                           const ByteProgress& progress = {});
  Result<StoredBlob> take_bytes(std::string_view bytes);

  // Where the blob is; for reading only.
  Result<Path> find(const std::string& sha256) const;
  // Puts a blob at a path, in one step; a file that is there is replaced. A link where the file
  // system has one to give, else a copy; read-only either way, because writing through a link would
  // change the blob. The bytes are not read: verify() and take() are what check them.
  Status place(const std::string& sha256, const Path& to) const;

  // Adds to what the owner holds; a path it holds already gets the new blob. Every blob must be
  // there with that size: one that was collected since it was taken is an error (not_found), and
  // nothing is held.
  Status hold(const std::string& owner, const std::vector<HeldFile>& files);
  // The same, and what the owner held before is released in the same step.
  Status hold_instead(const std::string& owner, const std::vector<HeldFile>& files);
  // Everything the owner holds; an owner that holds nothing is no error.
  Status release(const std::string& owner);
  Result<std::vector<HeldFile>> held_by(const std::string& owner) const;
  Result<std::vector<std::string>> owners() const;

  // How much is there, and whose it is.
  Result<StoreUsage> du() const;
  // Removes what nobody holds, and what killed processes left in staging/ (at a moment when no
  // process has anything there).
  Result<StoreCollection> gc(const GcOptions& options = {});
  // Reads every blob; changes nothing.
  Result<StoreCheck> verify(const ByteProgress& progress = {}) const;
  // Removes blobs until all together have at most that many bytes: first those nobody holds and
  // nobody used for an hour, then those of the owners that may be evicted, in their order. An error
  // where that is not enough; what was evicted is gone then too.
  Result<StoreCollection> make_room(std::uint64_t most_bytes,
                                    const std::vector<std::string>& evictable);

 private:
  enum class BlobState { absent, good, damaged };
  struct Judged {
    BlobState state = BlobState::absent;
    std::optional<FileFacts> facts;
  };

  ContentStore(Path root, BlobFolder folder, std::unique_ptr<Database> database)
      : root_(std::move(root)), folder_(std::move(folder)), database_(std::move(database)) {}
  Result<Judged> judge(const std::string& sha256, const FileFacts* source);
  Result<Judged> judge_by_reading(const std::string& sha256, const FileFacts& facts);
  Result<StoredBlob> take_hashed(const SourceFile& source, const std::string& sha256);
  Status read_ahead(const std::vector<SourceFile>& sources,
                    const std::vector<Result<Digest>>& digests);
  Result<bool> publish_if_unchanged(const Judged& seen, std::optional<StagedFile>& staged,
                                    const std::string& sha256);
  Status replace_by_link(const SourceFile& source, const std::string& sha256) const;
  Status check_can_be_held(const HeldFile& file) const;
  Status insert_held(const std::string& owner, const std::vector<HeldFile>& files);
  Status remove_unheld(const std::vector<ListedBlob>& blobs, const GcOptions& options,
                       StoreCollection& collection) const;
  Result<std::vector<RemovedBlob>> evict(const std::string& owner);

  Path root_;
  BlobFolder folder_;
  std::unique_ptr<Database> database_;
  std::map<std::string, FileFacts> good_;  // blobs we have read, as they were then
};

}  // namespace hone
