#include "flow/sweep/cell_store.h"

#include "base/folder.h"
#include "catalog/store.h"

namespace hone {
namespace {

// All of the folder but what differs from run to run: times are in the receipt alone.
Result<std::vector<Path>> files_of(const Path& folder) {
  HONE_TRY(std::vector<Path> files, files_below(folder));
  std::erase_if(files, [](const Path& file) { return file.filename() == "receipt.json"; });
  return files;
}

Result<std::vector<PackageEntry>> hold(ContentStore& store, const CellOrder& order,
                                       const std::vector<Path>& files) {
  HONE_TRY(const std::vector<StoredBlob> blobs, store.take_all(files));
  std::vector<HeldFile> held;
  std::vector<PackageEntry> entries;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = files[i].lexically_relative(order.folder).generic_string();
    held.push_back({path, blobs[i].sha256, blobs[i].bytes});
    entries.push_back({path, blobs[i].sha256, blobs[i].bytes});
  }
  HONE_TRY_DO(store.hold_instead(order.owner, held));
  return entries;
}

// What the cache of stages has is what cells have: once on disk for both.
void share_cache(ContentStore& store, const Path& cache) {
  std::vector<Path> files = files_below(cache / "builds").value_or(std::vector<Path>());
  // A file with several names is a link to its blob already.
  std::erase_if(files, [](const Path& file) {
    std::error_code problem;
    return std::filesystem::hard_link_count(file, problem) != 1;
  });
  for (const Path& file : files) {
    // Another cell may be writing it: then it is taken after the next one.
    (void)store.take(file);
  }
}

}  // namespace

Result<std::vector<PackageEntry>> keep_cell(const CellOrder& order) {
  HONE_TRY(ContentStore store, ContentStore::open(order.store));
  HONE_TRY(const std::vector<Path> files, files_of(order.folder));
  // A blob that another cell had may be evicted before it is held here as well.
  constexpr int attempts = 5;
  auto entries = hold(store, order, files);
  for (int attempt = 1; attempt < attempts; ++attempt) {
    if (entries || entries.error().fault != Fault::not_found) break;
    entries = hold(store, order, files);
  }
  if (entries) share_cache(store, order.where.host.cache);
  return entries;
}

}  // namespace hone
