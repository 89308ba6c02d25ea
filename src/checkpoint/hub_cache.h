#pragma once
// The folders of the cache, by the rules of Python's tools:
//
//   models--org--name/blobs/<digest>             each content once
//   models--org--name/refs/<revision>            the commit it stood for when it was last asked
//   models--org--name/snapshots/<commit>/<file>  a relative link to the content
//   .locks/models--org--name/<digest>.lock       held by who fetches that content
//
// A checkpoint is found there whoever put it there, and what we put there is found by others.

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/result.h"

namespace hone::hub {

class Cache {
 public:
  // `repository` is one of a HubId.
  Cache(Path cache, const std::string& repository);

  Path blob(const std::string& digest) const { return folder_ / "blobs" / digest; }
  Path snapshot(const std::string& commit) const { return folder_ / "snapshots" / commit; }

  // What the revision stands for: a commit, or the one that was noted for it.
  std::optional<std::string> commit_of(const std::string& revision) const;
  // Whether a snapshot has this file, with its content.
  bool has(const std::string& commit, const std::string& file) const;
  // The folder of a snapshot that has all that makes a checkpoint; what is missing is the error.
  Result<Path> whole_snapshot(const std::string& commit) const;

  Status make_folders() const;
  // Waits for whoever fetches that content. Held until the descriptor closes; where the file system
  // has no locks nobody waits, and content that two have written at once fails its digest.
  Result<Descriptor> hold(const std::string& digest, const std::atomic<bool>* stop) const;
  Status link(const std::string& commit, const std::string& file, const std::string& digest) const;
  Status note(const std::string& revision, const std::string& commit) const;

  // What there is of this repository, else of others: for messages.
  std::string described() const;
  // "org/name" of each that has a snapshot.
  std::vector<std::string> repositories() const;

 private:
  Path cache_;
  std::string repository_;
  std::string name_;
  Path folder_;
};

// 40 lowercase digits.
bool is_commit(std::string_view text);

}  // namespace hone::hub
