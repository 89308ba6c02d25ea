#pragma once
// The checkpoint that is to be exported, by what a user calls it.

#include <string>

#include "base/file.h"
#include "base/result.h"

namespace hone {

struct CheckpointSource {
  Path folder;
  std::string weights_file;  // in it; empty: model.safetensors, or its shards
};

// A folder, or a .safetensors file with config.json beside it. What is something else is refused
// with what it is.
Result<CheckpointSource> find_checkpoint(const std::string& given);

}  // namespace hone
