#pragma once
// What `hone store` says of a content store: what it holds, whether it is sound, what was removed.

#include <cstdint>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t store_schema_version = 1;

struct OwnerUsage {
  std::string owner{};
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;         // of its files, as if nothing was shared
  std::uint64_t own_bytes = 0;     // of the blobs that go with it
  std::uint64_t shared_bytes = 0;  // of the blobs that others hold too
};
template <RecordOf<OwnerUsage> Self>
void for_each_field(Self& usage, auto&& field) {
  field("owner", usage.owner);
  field("files", usage.files);
  field("bytes", usage.bytes);
  field("own_bytes", usage.own_bytes);
  field("shared_bytes", usage.shared_bytes);
}

struct StoreUsage {
  std::string store{};
  std::uint64_t blobs = 0;
  std::uint64_t bytes = 0;             // of all blobs
  std::uint64_t files = 0;             // that are held
  std::uint64_t referenced_bytes = 0;  // of these files: what they would take without the store
  std::uint64_t unheld_blobs = 0;
  std::uint64_t unheld_bytes = 0;
  std::vector<OwnerUsage> owners{};
};
template <RecordOf<StoreUsage> Self>
void for_each_field(Self& usage, auto&& field) {
  field("store", usage.store);
  field("blobs", usage.blobs);
  field("bytes", usage.bytes);
  field("files", usage.files);
  field("referenced_bytes", usage.referenced_bytes);
  field("unheld_blobs", usage.unheld_blobs);
  field("unheld_bytes", usage.unheld_bytes);
  field("owners", usage.owners);
}

struct DamagedBlob {
  std::string sha256{};  // what its bytes should have
  std::string found{};   // what they have
  std::uint64_t bytes = 0;
};
template <RecordOf<DamagedBlob> Self>
void for_each_field(Self& blob, auto&& field) {
  field("sha256", blob.sha256);
  field("found", blob.found);
  field("bytes", blob.bytes);
}

struct MissingBlob {
  std::string sha256{};
  std::string owner{};
  std::string path{};
};
template <RecordOf<MissingBlob> Self>
void for_each_field(Self& blob, auto&& field) {
  field("sha256", blob.sha256);
  field("owner", blob.owner);
  field("path", blob.path);
}

struct UnreadableBlob {
  std::string sha256{};
  std::string cause{};
};
template <RecordOf<UnreadableBlob> Self>
void for_each_field(Self& blob, auto&& field) {
  field("sha256", blob.sha256);
  field("cause", blob.cause);
}

struct StoreCheck {
  std::string store{};
  std::uint64_t blobs = 0;  // that were read
  std::uint64_t bytes = 0;
  std::vector<DamagedBlob> damaged{};
  std::vector<MissingBlob> missing{};  // held by somebody
  std::vector<UnreadableBlob> unreadable{};
  std::vector<std::string> writable{};   // good, but not protected from being written to
  std::vector<std::string> strangers{};  // what lies between the blobs and is none

  bool is_sound() const { return damaged.empty() && missing.empty() && unreadable.empty(); }
};
template <RecordOf<StoreCheck> Self>
void for_each_field(Self& check, auto&& field) {
  field("store", check.store);
  field("blobs", check.blobs);
  field("bytes", check.bytes);
  field("damaged", check.damaged);
  field("missing", check.missing);
  field("unreadable", check.unreadable);
  field("writable", check.writable);
  field("strangers", check.strangers);
}

struct RemovedBlob {
  std::string sha256{};
  std::uint64_t bytes = 0;
  bool is_freed = false;  // else a file elsewhere is the same one, and its bytes stay on the disk
};
template <RecordOf<RemovedBlob> Self>
void for_each_field(Self& blob, auto&& field) {
  field("sha256", blob.sha256);
  field("bytes", blob.bytes);
  field("freed", blob.is_freed);
}

struct StoreCollection {
  std::string store{};
  bool is_dry_run = false;  // nothing was removed; all else is what would have been
  std::uint64_t grace_seconds = 0;
  std::vector<RemovedBlob> removed{};
  std::uint64_t freed_bytes = 0;
  std::uint64_t held_blobs = 0;   // kept: somebody holds them
  std::uint64_t young_blobs = 0;  // kept: used within the grace period
  std::uint64_t temporary_files = 0;
  std::uint64_t temporary_bytes = 0;
};
template <RecordOf<StoreCollection> Self>
void for_each_field(Self& collection, auto&& field) {
  field("store", collection.store);
  field("dry_run", collection.is_dry_run);
  field("grace_seconds", collection.grace_seconds);
  field("removed", collection.removed);
  field("freed_bytes", collection.freed_bytes);
  field("held_blobs", collection.held_blobs);
  field("young_blobs", collection.young_blobs);
  field("temporary_files", collection.temporary_files);
  field("temporary_bytes", collection.temporary_bytes);
}

}  // namespace hone
