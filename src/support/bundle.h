#pragma once
// A contribution as a folder: nine items, and a manifest that binds every file by its hash. It
// holds what a stranger needs to check the claim; what was built can be built again from it.

#include <string>
#include <vector>

#include "base/file.h"
#include "record/bundle.h"
#include "record/review.h"

namespace hone {

inline constexpr auto bundle_manifest_name = "manifest.json";
inline constexpr auto bundle_source_folder = "source";

// "reader.stats.json", beside a skeleton "reader.onnx": what its weights are made from.
Path statistics_of(const Path& skeleton);

// Writes the nine items into a folder that may hold source/ already, and the manifest last. Fills
// in `manifest`.
Status write_bundle(Bundle& bundle, const Path& folder);

// What came of reading one: everything there is a problem with is a line, and nothing is read that
// is not what the manifest promises.
struct ReadBundle {
  std::vector<ReviewLine> lines;
  std::string manifest_sha256;
  std::optional<Bundle> bundle;  // null where an item is missing or no document
};
Result<ReadBundle> read_bundle(const Path& folder);

}  // namespace hone
