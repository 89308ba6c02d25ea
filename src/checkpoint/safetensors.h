#pragma once
// The safetensors format: an 8-byte length, a JSON header with the type, shape and place of each
// tensor, and the bytes. A file is a stranger's until every place is known to lie inside of it and
// beside every other.

#include <optional>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/tensor.h"

namespace hone {

// The tensors in the order of their bytes. Nothing is copied: each is a view into the mapped file
// and says as `external` where in the file it lies (location: the file's name).
Result<std::vector<TensorPtr>> read_safetensors(const Path& path);
// The same of bytes; `path` is what they are called.
Result<std::vector<TensorPtr>> parse_safetensors(const Blob& bytes, const Path& path);

// Where a checkpoint folder has its weights: model.safetensors, the index of its shards, or the
// only such file there, whatever it is called. Nothing beside pickles.
std::optional<Path> weights_in(const Path& folder);

// The tensors of a checkpoint folder: of that file, or of the shards that
// model.safetensors.index.json names. A folder that has only pickled weights is refused.
Result<std::vector<TensorPtr>> read_checkpoint_tensors(const Path& folder);

}  // namespace hone
