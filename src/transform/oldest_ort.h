#pragma once
// The oldest ONNX Runtime that opens a model on its CPU EP, as far as the model's own versions and
// what hone writes into models decide that.

#include <string>

#include "model/model.h"

namespace hone {

struct OldestOrt {
  std::string version;  // "1.17"
  std::string because;  // what in the model asks for it: "opset 20"
};

// By tables: the release that took an opset and an IR version, and the one that has a kernel for a
// combination of op and type. Ops it does not know are taken to be as old as their opset.
OldestOrt oldest_ort_for(const Model& model);

}  // namespace hone
