#pragma once
// The models of a checkpoint where a command takes a model: exported once, and kept in the host's
// cache under what they were made of.

#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "flow/watch.h"
#include "record/export.h"
#include "record/recipe.h"
#include "record/where.h"

namespace hone {

struct CachedExport {
  Path folder;
  ExportedFrom from;
  // "exported bert (text-classification) to ..."; empty where it had been before.
  std::string note{};
};

// What the models in a folder of that cache were made of; nothing elsewhere, and where they are not
// as they were left.
std::optional<ExportedFrom> exported_in(const Path& folder);

// REQUIRES: is_checkpoint(checkpoint).
Result<CachedExport> cached_export(const Path& checkpoint, const ExportRecipe& recipe,
                                   const Host& host, const Watch& watch = {});

}  // namespace hone
