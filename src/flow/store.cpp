#include "flow/store.h"

#include "catalog/store.h"

namespace hone {

Result<StoreUsage> measure_store(const Path& folder) {
  HONE_TRY(const ContentStore store, ContentStore::open_existing(folder));
  return store.du();
}

Result<StoreCheck> check_store(const Path& folder, const Watch& watch) {
  HONE_TRY(const ContentStore store, ContentStore::open_existing(folder));
  return store.verify(
      [&](std::uint64_t done, std::uint64_t total) { watch.step("reading blobs", done, total); });
}

Result<StoreCollection> clean_store(const Path& folder, const StoreCleaning& cleaning) {
  HONE_TRY(ContentStore store, ContentStore::open_existing(folder));
  return store.gc({.grace = cleaning.grace, .is_dry_run = cleaning.is_dry_run});
}

}  // namespace hone
