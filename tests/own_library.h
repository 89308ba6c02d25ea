#pragma once
// The real ONNX Runtime with our own EPs, registered once for all tests of a program.

#include <gtest/gtest.h>

#include "real_runtime.h"

namespace hone {

inline std::shared_ptr<Runtime> runtime_with_own_eps() {
  static const std::shared_ptr<Runtime> loaded = [] {
    EXPECT_TRUE(onnxruntime()->register_library("hone", HONE_EP_LIBRARY));
    return onnxruntime();
  }();
  return loaded;
}

}  // namespace hone
