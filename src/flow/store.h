#pragma once
// The content store of a folder: what it holds, whether it is sound, and what may go.

#include <chrono>

#include "base/file.h"
#include "flow/watch.h"
#include "record/store.h"

namespace hone {

// There has to be a store.
Result<StoreUsage> measure_store(const Path& folder);

// Reads every blob, and changes nothing.
Result<StoreCheck> check_store(const Path& folder, const Watch& watch);

struct StoreCleaning {
  std::chrono::seconds grace{3600};  // what was used within this time stays
  bool is_dry_run = false;           // says what would go, and removes nothing
};
// Removes what nobody holds, and what killed processes left.
Result<StoreCollection> clean_store(const Path& folder, const StoreCleaning& cleaning);

}  // namespace hone
