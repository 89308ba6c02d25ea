#pragma once
// One content of a hub, into the cache.

#include <functional>

#include "checkpoint/hub_cache.h"
#include "checkpoint/hub_client.h"

namespace hone::hub {

// Fetches into "<place>.incomplete", on from what is there, and gives it its name once its digest
// is the one that was said. `on_bytes` is told how much of it is there. What came stays after a
// cut, a stop and a full disk, and nothing after a wrong digest. REQUIRES: the content is held
// (Cache::hold).
Status fetch_blob(HubClient& client, const RemoteFile& file, const Path& place,
                  const std::function<void(std::uint64_t bytes)>& on_bytes);

// How much of it is there already.
std::uint64_t bytes_there(const Path& place);

}  // namespace hone::hub
