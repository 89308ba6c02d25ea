#pragma once
// Checkpoints of a hub: looked for in the cache that Python's tools keep, and fetched into it where
// something is missing. What was fetched is what its server said it would be, byte for byte, before
// it gets its name.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/http_settings.h"
#include "base/progress.h"
#include "base/result.h"

namespace hone {

// The hub that everybody means. This is the one place that names it.
inline constexpr std::string_view usual_hub = "https://huggingface.co";

struct HubId {
  std::string repository;  // "org/name", or "name" alone as the oldest models have it
  std::string revision = "main";
};

// "org/name[@revision]". What can be no name on a hub is refused, and with it all that would be a
// path when it becomes the name of a folder.
Result<HubId> parse_hub_id(std::string_view text);
// As one types it: without "@main".
std::string text_of(const HubId& id);

struct HubSettings {
  Path cache;  // the folder that has models--org--name
  std::string endpoint = std::string(usual_hub);
  std::string token{};  // sent to the endpoint alone, and never told
  bool is_offline = false;
  HttpSettings http{};
  int attempts = 5;                           // without a byte of progress between them
  std::chrono::milliseconds first_wait{500};  // before the second; each wait is twice the last
};

struct HubWatch {
  ByteProgress progress{};  // of all files that are missing, together
  std::function<void(const std::string& note)> note{};
  const std::atomic<bool>* stop = nullptr;  // what came so far stays, and is gone on with
};

// The snapshot's folder: configuration, weights, and what goes with them (see hub_files.h). Offline
// it is what the cache has, without a request; and so it is, with a note, where the hub cannot be
// reached. REQUIRES: parse_hub_id() made the id.
Result<Path> fetch_checkpoint(const HubId& id, const HubSettings& settings,
                              const HubWatch& watch = {});

}  // namespace hone
