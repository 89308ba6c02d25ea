#include "catalog/store.h"

#include <unistd.h>

#include "base/hash_file.h"

namespace hone {
namespace {

constexpr DatabaseKind store_kind = {
    .name = "the store's list",
    .is_one = "a list of a content store",
    .schema = R"(
      CREATE TABLE held (
        owner TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
        PRIMARY KEY (owner, path)) WITHOUT ROWID;
      CREATE INDEX held_blobs ON held (sha256)
    )",
    .application_id = 0x686f6373,  // "hocs"
    .version = 1,
    .busy_cause = "another process is using it",
    .busy_hint = "wait for it, or stop it",
    .renew_hint =
        "it was left as it is: put a copy of it back; without it nobody holds anything, "
        "and gc removes all blobs",
};

// Each attempt that fails means that another process has just changed the same blob.
constexpr int attempts = 100;

Path list_of(const Path& root) { return root / "store.db"; }

Failure is_no_hash(const std::string& sha256) {
  return fail(Fault::bad_input, "'" + sha256 + "' is not a SHA-256",
              "it has 64 digits of lowercase hexadecimal");
}

bool are_same(const std::optional<FileFacts>& a, const std::optional<FileFacts>& b) {
  return a && b ? a->is_unchanged(*b) : !a && !b;
}

}  // namespace

Result<ContentStore> ContentStore::open(const Path& root, const StoreOptions& options) {
  HONE_TRY(BlobFolder folder, BlobFolder::open(root));
  DatabaseKind kind = store_kind;
  kind.patience = options.patience;
  HONE_TRY(auto database, Database::open(list_of(root).string(), kind));
  return ContentStore(root, std::move(folder), std::move(database));
}

Result<ContentStore> ContentStore::open_existing(const Path& root, const StoreOptions& options) {
  HONE_TRY(const auto list, facts_of(list_of(root)));
  if (list) return open(root, options);
  return fail(Fault::not_found, "there is no store at '" + root.string() + "'", {},
              "--store FOLDER says where it is");
}

// The source itself may be the blob: it has just been read, and is what its name says.
Result<ContentStore::Judged> ContentStore::judge(const std::string& sha256,
                                                 const FileFacts* source) {
  HONE_TRY(const auto facts, folder_.look(sha256));
  if (!facts) return Judged{BlobState::absent, {}};
  if (facts->is_folder) {
    return fail(Fault::bad_input,
                "the store is damaged: '" + folder_.path_of(sha256).string() + "' is a folder", {},
                "it was left as it is: move it away");
  }
  if (!facts->is_regular) return Judged{BlobState::damaged, facts};
  if (source != nullptr && facts->is_same_file(*source)) return Judged{BlobState::good, facts};
  const auto known = good_.find(sha256);
  if (known != good_.end() && known->second.is_unchanged(*facts)) {
    return Judged{BlobState::good, facts};
  }
  return judge_by_reading(sha256, *facts);
}

Result<ContentStore::Judged> ContentStore::judge_by_reading(const std::string& sha256,
                                                            const FileFacts& facts) {
  const Path path = folder_.path_of(sha256);
  // Somebody may have taken the right to read it, ours too.
  if ((facts.mode & 0444) != 0444) HONE_TRY_DO(make_read_only(path));
  const auto digest = hash_of_file(path);
  if (!digest && digest.error().fault == Fault::not_found) return Judged{BlobState::absent, {}};
  if (!digest) {
    return fail(digest.error().fault, "the store has a blob that cannot be read",
                digest.error().what + ": " + digest.error().cause,
                "nothing was removed; `hone store verify` reads all of them");
  }
  if (digest->hex() != sha256) return Judged{BlobState::damaged, facts};
  good_[sha256] = facts;
  return Judged{BlobState::good, facts};
}

// Everything that was seen without a lock is looked at again with it. False: it is another one now.
Result<bool> ContentStore::publish_if_unchanged(const Judged& seen,
                                                std::optional<StagedFile>& staged,
                                                const std::string& sha256) {
  HONE_TRY(Transaction lock, Transaction::begin(*database_));
  HONE_TRY(const auto now, folder_.look(sha256));
  if (!are_same(now, seen.facts)) return false;
  if (seen.state == BlobState::good) {
    // Also tells gc() that it was used.
    HONE_TRY_DO(make_read_only(folder_.path_of(sha256)));
  } else {
    good_.erase(sha256);
    HONE_TRY_DO(folder_.publish(*std::move(staged), sha256));
  }
  HONE_TRY_DO(lock.commit());
  return true;
}

Status ContentStore::replace_by_link(const SourceFile& source, const std::string& sha256) const {
  HONE_TRY(const auto blob, folder_.look(sha256));
  if (!blob || blob->device != source.facts.device) return done();
  HONE_TRY(const auto now, facts_of(source.path));
  if (now && now->is_same_file(*blob)) return done();
  HONE_TRY_DO(check_is_at_rest(source));
  const auto linked = folder_.link_to(sha256, source.path);
  // Without a grace period the blob may be gone already; the file has its bytes all the same.
  if (!linked && linked.error().fault != Fault::not_found) return fail(linked.error());
  return done();
}

Result<StoredBlob> ContentStore::take_hashed(const SourceFile& source, const std::string& sha256) {
  HONE_TRY_DO(check_is_at_rest(source));
  std::optional<StagedFile> staged;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    HONE_TRY(const Judged seen, judge(sha256, &source.facts));
    const bool was_there = seen.state == BlobState::good;
    if (!was_there && !staged) {
      HONE_TRY(StagedFile made, folder_.stage(source, sha256));
      staged.emplace(std::move(made));
    }
    HONE_TRY(const bool is_there, publish_if_unchanged(seen, staged, sha256));
    if (!is_there) continue;
    HONE_TRY_DO(replace_by_link(source, sha256));
    return StoredBlob{sha256, source.facts.bytes, was_there};
  }
  return fail(Fault::io, "cannot take '" + source.path.string() + "' into the store",
              "other processes keep changing the same blob", "try again");
}

Result<StoredBlob> ContentStore::take(const Path& file) {
  HONE_TRY(const SourceFile source, look_at_source(file));
  HONE_TRY(const Digest digest, hash_of_file(file));
  return take_hashed(source, digest.hex());
}

// Blobs that are there already, read in parallel: what is found good need not be read in its turn.
// What is not, judge() reads again and says why.
Status ContentStore::read_ahead(const std::vector<SourceFile>& sources,
                                const std::vector<Result<Digest>>& digests) {
  std::map<std::string, FileFacts> unread;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!digests[i]) continue;
    const std::string sha256 = digests[i]->hex();
    HONE_TRY(const auto facts, folder_.look(sha256));
    if (!facts || !facts->is_regular || facts->is_same_file(sources[i].facts)) continue;
    const auto known = good_.find(sha256);
    if (known == good_.end() || !known->second.is_unchanged(*facts)) unread[sha256] = *facts;
  }
  std::vector<Path> blobs;
  for (const auto& [sha256, facts] : unread) blobs.push_back(folder_.path_of(sha256));
  const std::vector<Result<Digest>> found = hash_of_files(blobs);
  auto digest = found.begin();
  for (const auto& [sha256, facts] : unread) {
    if (*digest && (*digest)->hex() == sha256) good_[sha256] = facts;
    ++digest;
  }
  return done();
}

Result<std::vector<StoredBlob>> ContentStore::take_all(const std::vector<Path>& files,
                                                       const ByteProgress& progress) {
  std::vector<SourceFile> sources;
  for (const Path& file : files) {
    HONE_TRY(SourceFile source, look_at_source(file));
    sources.push_back(std::move(source));
  }
  std::vector<Result<Digest>> digests = hash_of_files(files, progress);
  HONE_TRY_DO(read_ahead(sources, digests));
  std::vector<StoredBlob> blobs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    HONE_TRY(const Digest digest, std::move(digests[i]));
    HONE_TRY(StoredBlob blob, take_hashed(sources[i], digest.hex()));
    blobs.push_back(std::move(blob));
  }
  return blobs;
}

Result<StoredBlob> ContentStore::take_bytes(std::string_view bytes) {
  const std::string sha256 = hone::sha256(bytes).hex();
  for (int attempt = 0; attempt < attempts; ++attempt) {
    HONE_TRY(const Judged seen, judge(sha256, nullptr));
    const bool was_there = seen.state == BlobState::good;
    std::optional<StagedFile> staged;
    if (!was_there) {
      HONE_TRY(StagedFile made, folder_.stage_bytes(bytes));
      staged.emplace(std::move(made));
    }
    HONE_TRY(const bool is_there, publish_if_unchanged(seen, staged, sha256));
    if (is_there) return StoredBlob{sha256, bytes.size(), was_there};
  }
  return fail(Fault::io, "cannot take bytes into the store",
              "other processes keep changing the same blob", "try again");
}

Result<Path> ContentStore::find(const std::string& sha256) const {
  if (!is_sha256(sha256)) return is_no_hash(sha256);
  Path path = folder_.path_of(sha256);
  HONE_TRY(const auto facts, folder_.look(sha256));
  if (facts && facts->is_regular) return path;
  return fail(Fault::not_found, "the store has no blob " + sha256,
              facts ? "'" + path.string() + "' is not a regular file" : "");
}

Status ContentStore::place(const std::string& sha256, const Path& to) const {
  HONE_TRY(const Path blob, find(sha256));
  HONE_TRY(const bool is_linked, folder_.link_to(sha256, to));
  if (is_linked) return done();
  HONE_TRY_DO(clone_file(blob, to));
  return make_read_only(to);
}

Status ContentStore::check_can_be_held(const HeldFile& file) const {
  HONE_TRY_DO(check_stays_inside(file.path));
  HONE_TRY(const Path path, find(file.sha256));
  HONE_TRY(const auto facts, facts_of(path));
  if (facts && facts->bytes == file.bytes) return done();
  return fail(
      Fault::bad_input, "cannot hold '" + file.path + "': its blob has another size",
      std::to_string(facts ? facts->bytes : 0) + " bytes and not " + std::to_string(file.bytes));
}

// REQUIRES: a transaction. While it lives nothing is collected: what is found there stays there.
Status ContentStore::insert_held(const std::string& owner, const std::vector<HeldFile>& files) {
  if (owner.empty()) return fail(Fault::bad_input, "an owner of blobs needs a name");
  HONE_TRY(Statement insert, database_->prepare("INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?)"));
  for (const HeldFile& file : files) {
    HONE_TRY_DO(check_can_be_held(file));
    insert.bind(owner).bind(file.path).bind(file.sha256);
    HONE_TRY_DO(insert.bind(static_cast<std::int64_t>(file.bytes)).run());
  }
  return done();
}

Status ContentStore::hold(const std::string& owner, const std::vector<HeldFile>& files) {
  HONE_TRY(Transaction step, Transaction::begin(*database_));
  HONE_TRY_DO(insert_held(owner, files));
  return step.commit();
}

Status ContentStore::hold_instead(const std::string& owner, const std::vector<HeldFile>& files) {
  HONE_TRY(Transaction step, Transaction::begin(*database_));
  HONE_TRY_DO(release(owner));
  HONE_TRY_DO(insert_held(owner, files));
  return step.commit();
}

Status ContentStore::release(const std::string& owner) {
  HONE_TRY(Statement statement, database_->prepare("DELETE FROM held WHERE owner = ?"));
  return statement.bind(owner).run();
}

Result<std::vector<HeldFile>> ContentStore::held_by(const std::string& owner) const {
  HONE_TRY(
      Statement statement,
      database_->prepare("SELECT path, sha256, bytes FROM held WHERE owner = ? ORDER BY path"));
  statement.bind(owner);
  std::vector<HeldFile> files;
  while (true) {
    HONE_TRY(const bool has_row, statement.next());
    if (!has_row) return files;
    files.push_back(
        {statement.text(0), statement.text(1), static_cast<std::uint64_t>(statement.number(2))});
  }
}

Result<std::vector<std::string>> ContentStore::owners() const {
  HONE_TRY(Statement statement, database_->prepare("SELECT DISTINCT owner FROM held ORDER BY 1"));
  std::vector<std::string> owners;
  while (true) {
    HONE_TRY(const bool has_row, statement.next());
    if (!has_row) return owners;
    owners.push_back(statement.text(0));
  }
}

}  // namespace hone
