// What keeps a content store in order: how much it holds, what may go, whether it is sound.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/descriptor.h"
#include "base/hash_file.h"
#include "base/text.h"
#include "catalog/store.h"

namespace hone {
namespace {

// So many blobs are removed at a time before other processes get their turn.
constexpr std::size_t batch = 64;

struct Reference {
  std::string owner;
  HeldFile file;
};

Result<std::vector<Reference>> references_in(const Database& database) {
  HONE_TRY(Statement statement,
           database.prepare("SELECT owner, path, sha256, bytes FROM held ORDER BY owner, path"));
  std::vector<Reference> references;
  while (true) {
    HONE_TRY(const bool has_row, statement.next());
    if (!has_row) return references;
    references.push_back(
        {statement.text(0),
         {statement.text(1), statement.text(2), static_cast<std::uint64_t>(statement.number(3))}});
  }
}

std::uint64_t bytes_of(const std::vector<ListedBlob>& blobs) {
  std::uint64_t bytes = 0;
  for (const ListedBlob& blob : blobs) bytes += blob.facts.bytes;
  return bytes;
}

bool is_young(const FileFacts& facts, std::chrono::seconds grace) {
  return std::chrono::system_clock::now() - facts.touched < grace;
}

Result<bool> is_held(const Database& database, const std::string& sha256) {
  HONE_TRY(Statement statement, database.prepare("SELECT 1 FROM held WHERE sha256 = ? LIMIT 1"));
  return statement.bind(sha256).next();
}

Status remove_file(const Path& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return done();
  return fail(Fault::io, "cannot remove '" + path.string() + "'", system_message(errno));
}

// REQUIRES: nobody else writes to the database meanwhile.
Status remove_if_unheld(const Database& database, const ListedBlob& blob, const GcOptions& options,
                        StoreCollection& collection) {
  HONE_TRY(const auto facts, facts_of(blob.path));
  if (!facts || !facts->is_regular) return done();
  HONE_TRY(const bool held, is_held(database, blob.sha256));
  if (held) return ++collection.held_blobs, done();
  if (is_young(*facts, options.grace)) return ++collection.young_blobs, done();
  if (!options.is_dry_run) HONE_TRY_DO(remove_file(blob.path));
  const bool is_freed = facts->names == 1;
  collection.removed.push_back({blob.sha256, facts->bytes, is_freed});
  if (is_freed) collection.freed_bytes += facts->bytes;
  return done();
}

Status remove_left_over(const LeftOver& left, bool is_dry_run, StoreCollection& collection) {
  if (!is_dry_run) HONE_TRY_DO(remove_file(left.path));
  ++collection.temporary_files;
  if (left.facts.names == 1) collection.temporary_bytes += left.facts.bytes;
  return done();
}

// Who holds each blob.
std::map<std::string, std::set<std::string>> holders_of(const std::vector<Reference>& references) {
  std::map<std::string, std::set<std::string>> holders;
  for (const Reference& reference : references) {
    holders[reference.file.sha256].insert(reference.owner);
  }
  return holders;
}

std::vector<OwnerUsage> usage_by_owner(
    const std::vector<Reference>& references,
    const std::map<std::string, std::set<std::string>>& holders) {
  std::map<std::string, OwnerUsage> owners;
  std::set<std::pair<std::string, std::string>> counted;
  for (const auto& [owner, file] : references) {
    OwnerUsage& usage = owners[owner];
    usage.owner = owner;
    usage.files += 1;
    usage.bytes += file.bytes;
    if (!counted.emplace(owner, file.sha256).second) continue;
    const bool is_shared = holders.at(file.sha256).size() > 1;
    (is_shared ? usage.shared_bytes : usage.own_bytes) += file.bytes;
  }
  std::vector<OwnerUsage> sorted;
  for (auto& [owner, usage] : owners) sorted.push_back(std::move(usage));
  return sorted;
}

Failure cannot_make_room(const StoreUsage& usage, std::uint64_t most_bytes) {
  return fail(Fault::io,
              "cannot bring the store '" + usage.store + "' down to " + format_bytes(most_bytes),
              format_bytes(usage.bytes) + " are left, of which " +
                  format_bytes(usage.bytes - usage.unheld_bytes) + " are held by " +
                  std::to_string(usage.owners.size()) + " owners that may not be evicted",
              "allow the store more, or release owners; `hone store du` lists them");
}

}  // namespace

Result<StoreUsage> ContentStore::du() const {
  HONE_TRY(const std::vector<Reference> references, references_in(*database_));
  HONE_TRY(const BlobList list, folder_.list());
  const auto holders = holders_of(references);
  StoreUsage usage{.store = root_.string(), .owners = usage_by_owner(references, holders)};
  usage.files = references.size();
  for (const Reference& reference : references) usage.referenced_bytes += reference.file.bytes;
  usage.blobs = list.blobs.size();
  usage.bytes = bytes_of(list.blobs);
  for (const ListedBlob& blob : list.blobs) {
    if (holders.contains(blob.sha256)) continue;
    usage.unheld_blobs += 1;
    usage.unheld_bytes += blob.facts.bytes;
  }
  return usage;
}

Status ContentStore::remove_unheld(const std::vector<ListedBlob>& blobs, const GcOptions& options,
                                   StoreCollection& collection) const {
  for (std::size_t start = 0; start < blobs.size(); start += batch) {
    HONE_TRY(Transaction lock, Transaction::begin(*database_));
    const std::size_t end = std::min(start + batch, blobs.size());
    for (std::size_t i = start; i < end; ++i) {
      HONE_TRY_DO(remove_if_unheld(*database_, blobs[i], options, collection));
    }
    HONE_TRY_DO(lock.commit());
  }
  return done();
}

Result<StoreCollection> ContentStore::gc(const GcOptions& options) {
  StoreCollection collection{.store = root_.string(),
                             .is_dry_run = options.is_dry_run,
                             .grace_seconds = static_cast<std::uint64_t>(options.grace.count())};
  HONE_TRY(const BlobList list, folder_.list());
  HONE_TRY_DO(remove_unheld(list.blobs, options, collection));
  HONE_TRY_DO(folder_.visit_left_over([&](const LeftOver& left) {
    return remove_left_over(left, options.is_dry_run, collection);
  }));
  return collection;
}

Result<StoreCheck> ContentStore::verify(const ByteProgress& progress) const {
  HONE_TRY_DO(database_->check_health());
  StoreCheck check{.store = root_.string()};
  HONE_TRY(const BlobList list, folder_.list());
  for (const Path& stranger : list.strangers) check.strangers.push_back(stranger.string());
  std::vector<Path> paths;
  for (const ListedBlob& blob : list.blobs) paths.push_back(blob.path);
  const std::vector<Result<Digest>> digests = hash_of_files(paths, progress);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const ListedBlob& blob = list.blobs[i];
    if (!digests[i] && digests[i].error().fault == Fault::not_found) continue;  // collected since
    if (!digests[i]) {
      check.unreadable.push_back({blob.sha256, digests[i].error().cause});
      continue;
    }
    check.blobs += 1;
    check.bytes += blob.facts.bytes;
    const std::string found = digests[i]->hex();
    if (found != blob.sha256) {
      check.damaged.push_back({blob.sha256, found, blob.facts.bytes});
    } else if (blob.facts.may_be_written()) {
      check.writable.push_back(blob.sha256);
    }
  }
  // Nothing is released and collected between the question and the look.
  HONE_TRY(Transaction lock, Transaction::begin(*database_));
  HONE_TRY(const std::vector<Reference> references, references_in(*database_));
  for (const auto& [owner, file] : references) {
    if (!find(file.sha256)) check.missing.push_back({file.sha256, owner, file.path});
  }
  HONE_TRY_DO(lock.commit());
  return check;
}

// Its blobs go at once, unless others hold them: the room is needed, and whoever has taken the same
// bytes just now is told by hold() to take them again.
Result<std::vector<RemovedBlob>> ContentStore::evict(const std::string& owner) {
  HONE_TRY(const std::vector<HeldFile> files, held_by(owner));
  HONE_TRY_DO(release(owner));
  std::set<std::string> hashes;
  for (const HeldFile& file : files) hashes.insert(file.sha256);
  std::vector<ListedBlob> blobs;
  for (const std::string& sha256 : hashes) {
    if (is_sha256(sha256)) blobs.push_back({sha256, folder_.path_of(sha256), {}});
  }
  StoreCollection collection;
  HONE_TRY_DO(remove_unheld(blobs, {.grace = std::chrono::seconds(0)}, collection));
  return collection.removed;
}

Result<StoreCollection> ContentStore::make_room(std::uint64_t most_bytes,
                                                const std::vector<std::string>& evictable) {
  StoreCollection collection{.store = root_.string()};
  HONE_TRY(BlobList list, folder_.list());
  if (bytes_of(list.blobs) <= most_bytes) return collection;
  HONE_TRY(collection, gc());
  HONE_TRY(list, folder_.list());
  std::uint64_t bytes = bytes_of(list.blobs);
  for (const std::string& owner : evictable) {
    if (bytes <= most_bytes) break;
    HONE_TRY(const std::vector<RemovedBlob> removed, evict(owner));
    for (const RemovedBlob& blob : removed) {
      bytes -= std::min(bytes, blob.bytes);
      if (blob.is_freed) collection.freed_bytes += blob.bytes;
      collection.removed.push_back(blob);
    }
  }
  if (bytes <= most_bytes) return collection;
  HONE_TRY(const StoreUsage left, du());
  return cannot_make_room(left, most_bytes);
}

}  // namespace hone
