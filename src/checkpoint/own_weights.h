#pragma once
// Weights in a file of the model's own: turned and cast once, where a graph that refers to the
// checkpoint's file does both whenever it is opened.

#include "base/file.h"
#include "base/progress.h"
#include "model/model.h"

namespace hone {

struct OwnWeights {
  std::uint64_t tensors = 0;  // in the file
  std::uint64_t turned = 0;   // of them, those that nodes have turned or cast before
  std::uint64_t bytes = 0;
};

// Writes what the model reads of other files into `file`, and has the model refer to that: Casts
// and Transposes of weights are done on the way. What is small goes into the model. Never more than
// two of the weights are in memory.
Result<OwnWeights> give_own_weights(Model& model, const Path& file, const ByteProgress& progress);

}  // namespace hone
