#pragma once
// What a model is used with: the files of tokenizer and processor, and the configuration.

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace hone {

// Copies those of a checkpoint's folder, and says their names.
Result<std::vector<std::string>> copy_companions(const Path& checkpoint, const Path& folder);

}  // namespace hone
