#pragma once
// A checkpoint's graphs: from its folder to models in memory whose weights are views of its files.

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

struct ExportChoice {
  std::string task{};          // empty: what `architectures` says
  std::string weights_file{};  // in the folder; empty: model.safetensors, or its shards
  NetOptions net{};
};

struct ExportedGraph {
  std::string part;  // "model", "encoder_model", ...
  Model model;
};

struct ExportedCheckpoint {
  std::string family;
  std::string model_type;
  std::string architecture;  // empty where the configuration names none
  std::string task;
  std::vector<ExportedGraph> graphs;
  std::vector<ConfigSwitch> switches;  // what was read of the configuration
  std::vector<std::string> not_read;   // switches of the file that decide nothing here
  std::vector<std::string> unused;     // tensors that no graph has taken
};

// Whether a folder looks like a checkpoint: config.json beside weights.
bool is_checkpoint(const Path& folder);

// The type of floats that most of the bytes of its weights are; no weight is read.
Result<ElementType> type_of_weights(const Path& folder, const std::string& weights_file = {});

// REQUIRES of the models: their weights are external data that lies in `folder`.
Result<ExportedCheckpoint> export_checkpoint(const Path& folder, const ExportChoice& choice);
// The same of a configuration and tensors; `name` is what they are called in errors.
Result<ExportedCheckpoint> export_tensors(const std::string& name, Json configuration,
                                          std::vector<TensorPtr> tensors,
                                          const ExportChoice& choice);

}  // namespace hone
