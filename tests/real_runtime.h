#pragma once
// The real ONNX Runtime, loaded once.

#include <memory>

#include "ort_library.h"
#include "runtime/runtime.h"

namespace hone {

inline std::shared_ptr<Runtime> onnxruntime() {
  static const std::shared_ptr<Runtime> loaded = Runtime::load({ort_library()}).value();
  return loaded;
}

}  // namespace hone
