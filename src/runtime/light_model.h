#pragma once
// A model file without its weights, for looking at the graph and for handing weights over in
// memory.

#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/model.h"

namespace hone {

// Writes the model to `path` with references in the place of the main graph's large initializers,
// and beside it a file of holes they refer to: ONNX Runtime checks that it is there and large
// enough. Returns what was left out, under the names of their values.
Result<std::vector<TensorPtr>> write_light_model(const Model& model, const Path& path);

}  // namespace hone
