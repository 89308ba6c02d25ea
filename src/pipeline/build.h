#pragma once
// A build: the stages of a recipe one after the other, each from the cache where its input and
// settings were seen before, each with a receipt. Killed at any moment, it can be run again and
// ends with the same bytes; until then a build that was there can be used as it was.

#include <optional>

#include "pipeline/build_folder.h"
#include "pipeline/stage.h"
#include "record/build.h"

namespace hone {

struct BuildJob {
  Path model;
  Recipe recipe;
  Path output;                // a folder: model.onnx, recipe.json, receipt.json, stages/
  bool overwrite = false;     // an output of another build may be replaced
  bool rebuilds = false;      // does not look into the cache
  std::optional<Path> cache;  // nothing: none is kept
  std::string tool_version;
  bool allows_unsupported = true;    // builds what the EP is known not to take all the same
  std::string runtime_key;           // what of ONNX Runtime and the EPs decides bytes
  std::vector<std::string> notes{};  // why the recipe is as it is, for the receipt
  std::optional<ExportedFrom> exported{};
};

// The receipt is written after every stage; of a build that fails it says where, and the error is
// handed on.
Result<BuildReceipt> build(const BuildTools& tools, const BuildJob& job);

}  // namespace hone
