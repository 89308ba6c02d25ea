#include "checkpoint/hub.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "checkpoint/hub_blob.h"
#include "checkpoint/hub_cache.h"
#include "checkpoint/hub_client.h"
#include "checkpoint/hub_files.h"

namespace hone {
namespace {

constexpr std::uint64_t most_index_bytes = std::uint64_t{64} << 20;

// One revision of a repository, on its way into the cache.
class Fetching {
 public:
  Fetching(hub::HubClient& client, const hub::Cache& cache, const HubWatch& watch,
           hub::Listing listing)
      : client_(client), cache_(cache), watch_(watch), listing_(std::move(listing)) {}

  Status run() {
    HONE_TRY(hub::WantedFiles wanted, hub::choose_files(listing_.repository, listing_.files));
    HONE_TRY_DO(cache_.make_folders());
    if (wanted.has_index) {
      HONE_TRY_DO(complete({std::string(hub::weights_index)}));
      const Path index = cache_.snapshot(listing_.commit) / hub::weights_index;
      HONE_TRY(const std::string text, read_file(index, most_index_bytes));
      HONE_TRY(std::vector<std::string> shards, hub::shards_of_index(text, listing_.files));
      std::ranges::move(shards, std::back_inserter(wanted.files));
    }
    return complete(wanted.files);
  }

 private:
  // What the snapshot has is what it has to be: a commit's files do not change.
  Status complete(const std::vector<std::string>& files) {
    std::vector<hub::RemoteFile> missing;
    for (const std::string& file : files) {
      if (cache_.has(listing_.commit, file)) continue;
      HONE_TRY(hub::RemoteFile described, client_.describe(listing_, file));
      missing.push_back(std::move(described));
    }
    HONE_TRY_DO(check_room(missing));
    std::uint64_t total = 0;
    for (const hub::RemoteFile& file : missing) total += file.bytes;
    std::uint64_t before = 0;
    for (const hub::RemoteFile& file : missing) {
      HONE_TRY_DO(fetch(file, [&](std::uint64_t bytes) {
        if (watch_.progress) watch_.progress(before + bytes, total);
      }));
      before += file.bytes;
    }
    return done();
  }

  Status check_room(const std::vector<hub::RemoteFile>& missing) const {
    std::uint64_t needed = 0;
    for (const hub::RemoteFile& file : missing)
      needed += file.bytes - std::min(file.bytes, hub::bytes_there(cache_.blob(file.digest)));
    const Path folder = cache_.blob("").parent_path();
    std::error_code unknown;
    const auto space = std::filesystem::space(folder, unknown);
    if (unknown || needed <= space.available) return done();
    return fail(
        Fault::runtime, Trouble::disk_full,
        "'" + listing_.repository + "' does not fit on the disk of '" + folder.string() + "'",
        format_bytes(needed) + " are missing, and " + format_bytes(space.available) + " are free",
        "make room, or let HF_HUB_CACHE name another disk");
  }

  Status fetch(const hub::RemoteFile& file, const std::function<void(std::uint64_t)>& on_bytes) {
    HONE_TRY(const Descriptor held, cache_.hold(file.digest, watch_.stop));
    const Path blob = cache_.blob(file.digest);
    // Another file has the same content, or another process was faster.
    const auto size = size_of_file(blob);
    if (!size || *size != file.bytes) HONE_TRY_DO(hub::fetch_blob(client_, file, blob, on_bytes));
    on_bytes(file.bytes);
    return cache_.link(listing_.commit, file.name, file.digest);
  }

  hub::HubClient& client_;
  const hub::Cache& cache_;
  const HubWatch& watch_;
  hub::Listing listing_;
};

Result<Path> from_cache(const hub::Cache& cache, const HubId& id) {
  const std::string what = "'" + text_of(id) + "' cannot be taken from the cache";
  const auto commit = cache.commit_of(id.revision);
  if (!commit)
    return fail(Fault::not_found, what, "it is not there: " + cache.described(),
                "fetch it once with HF_HUB_OFFLINE unset");
  auto snapshot = cache.whole_snapshot(*commit);
  if (snapshot) return snapshot;
  const Error& why = snapshot.error();
  return fail(
      Fault::not_found, what,
      "its snapshot is not whole: " + why.what + (why.cause.empty() ? "" : ": " + why.cause),
      "fetch the rest with HF_HUB_OFFLINE unset");
}

// A hub that cannot be reached is no reason to do without what is there.
Result<Path> without_hub(const hub::Cache& cache, const HubId& id, const Error& error,
                         const HubWatch& watch) {
  auto snapshot = from_cache(cache, id);
  if (!snapshot) return fail(error);
  if (watch.note)
    watch.note("the hub cannot be asked (" + error.what +
               (error.cause.empty() ? "" : ": " + error.cause) + "): '" + text_of(id) +
               "' is taken from the cache, commit " + snapshot->filename().string());
  return snapshot;
}

}  // namespace

Result<Path> fetch_checkpoint(const HubId& id, const HubSettings& settings, const HubWatch& watch) {
  const hub::Cache cache(settings.cache, id.repository);
  if (settings.is_offline) return from_cache(cache, id);
  HONE_TRY(hub::HubClient client, hub::HubClient::open(id, settings, watch));
  const auto listing = client.list();
  if (!listing) {
    const Error& error = listing.error();
    const bool is_out_of_reach =
        is_transient(error) || (error.fault == Fault::not_found && !client.was_answered());
    if (is_out_of_reach && !client.is_stopped()) return without_hub(cache, id, error, watch);
    return fail(error);
  }
  if (listing->repository != id.repository && watch.note)
    watch.note("'" + id.repository + "' is called '" + listing->repository + "' now");
  HONE_TRY_DO(Fetching(client, cache, watch, *listing).run());
  HONE_TRY_DO(cache.note(id.revision, listing->commit));
  return cache.snapshot(listing->commit);
}

}  // namespace hone
