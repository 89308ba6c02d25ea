#pragma once
// Which files of a repository make a checkpoint. Names come from a stranger's list.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::hub {

inline constexpr std::string_view weights_index = "model.safetensors.index.json";

struct WantedFiles {
  std::vector<std::string> files;  // each of them in the list
  bool has_index = false;          // and the shards that it names are wanted, too
};

// Configuration, tokenizer and processor files beside the weights: model.safetensors, else its
// index, else ONNX models with their external data. Where there are only pickles it is refused.
// `repository` is for messages.
Result<WantedFiles> choose_files(const std::string& repository, std::span<const std::string> names);

// The shards an index names, each once, all of them in the list.
Result<std::vector<std::string>> shards_of_index(std::string_view index,
                                                 std::span<const std::string> names);

// Whether a name stays below the folder it is joined to, and can be shown.
bool is_file_name(std::string_view name);

}  // namespace hone::hub
