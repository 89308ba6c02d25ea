#pragma once
// Types and shapes of all values of a model, by ONNX Runtime's own inference.

#include <memory>

#include "base/file.h"
#include "model/model.h"
#include "runtime/runtime.h"

namespace hone {

// Fills Value::type wherever ONNX Runtime knows more than the model says; subgraphs too. No weight
// is loaded: large ones are shown to ONNX Runtime by their shape alone. `library` is libhone_ep.so,
// whose probe writes down what it is shown.
Status infer_types(const std::shared_ptr<Runtime>& runtime, const Path& library, Model& model);

}  // namespace hone
