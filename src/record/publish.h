#pragma once
// What was published, and what was fetched.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t package_schema_version = 1;
inline constexpr std::int64_t fetched_schema_version = 1;

// One file of a package.
struct PackageEntry {
  std::string path;  // inside the package, '/' between folders
  std::string sha256;
  std::uint64_t bytes = 0;
};
template <RecordOf<PackageEntry> Self>
void for_each_field(Self& entry, auto&& field) {
  field("path", entry.path, Presence::required);
  field("sha256", entry.sha256, Presence::required);
  field("bytes", entry.bytes, Presence::required);
}

// package.json: what a package is made of, where the place it lies in does not know by itself.
struct PackageManifest {
  std::string version;
  std::string description;
  std::vector<PackageEntry> files;
  std::map<std::string, std::string> annotations;
  std::optional<PackageEntry> evidence;
};
template <RecordOf<PackageManifest> Self>
void for_each_field(Self& package, auto&& field) {
  field("version", package.version, Presence::required);
  field("description", package.description);
  field("files", package.files, Presence::required);
  field("annotations", package.annotations);
  field("evidence", package.evidence, Presence::when_given);
}

enum class PublishOutcome {
  uploaded,
  exists_skipped,  // it was there before, and that was to be left alone
  timeout,         // it may still have arrived: ask before trying again
  failed,
  auth_abort,  // whoever goes on will be refused again
};
constexpr auto enum_names(PublishOutcome) {
  return std::to_array<EnumName<PublishOutcome>>(
      {{PublishOutcome::uploaded, "uploaded"},
       {PublishOutcome::exists_skipped, "exists-skipped"},
       {PublishOutcome::timeout, "timeout"},
       {PublishOutcome::failed, "failed"},
       {PublishOutcome::auth_abort, "auth-abort"}});
}

struct Published {
  PublishOutcome outcome = PublishOutcome::failed;
  std::string reference;  // what `hone pull` takes
  std::string digest;     // of what is there: "sha256:..."; empty where nobody could tell
  // What is there was asked for and is what we have. Local files may go after this, never before.
  bool confirmed = false;
  std::uint64_t bytes_sent = 0;   // of files, every time they travelled
  std::uint64_t bytes_there = 0;  // of files that were there and did not travel
  std::uint64_t blobs_sent = 0;
  std::uint64_t blobs_there = 0;
  std::uint64_t blobs_mounted = 0;  // taken from another repository of the same registry
  std::string error;                // its last lines
};
template <RecordOf<Published> Self>
void for_each_field(Self& published, auto&& field) {
  field("outcome", published.outcome, Presence::required);
  field("reference", published.reference);
  field("digest", published.digest);
  field("confirmed", published.confirmed);
  field("bytes_sent", published.bytes_sent);
  field("bytes_there", published.bytes_there);
  field("blobs_sent", published.blobs_sent);
  field("blobs_there", published.blobs_there);
  field("blobs_mounted", published.blobs_mounted);
  field("error", published.error);
}

// Files that came, each with the digest it was promised with.
struct Fetched {
  std::string reference;
  std::string digest;  // of the package's manifest
  std::string folder;
  std::vector<PackageEntry> files;
};
template <RecordOf<Fetched> Self>
void for_each_field(Self& fetched, auto&& field) {
  field("reference", fetched.reference);
  field("digest", fetched.digest);
  field("folder", fetched.folder);
  field("files", fetched.files);
}

}  // namespace hone
