#include "runtime/ort_trouble.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(OrtTrouble, AKernelThatIsMissingIsToldByCodeOrWord) {
  EXPECT_EQ(trouble_in("onnxruntime: Could not find an implementation for Foo(1)"),
            Trouble::no_kernel);
  EXPECT_EQ(trouble_in("onnxruntime: whatever", true), Trouble::no_kernel);
  EXPECT_EQ(trouble_in("onnxruntime: whatever"), Trouble::other);
}

TEST(OrtTrouble, MemoryAndDiskAreToldApart) {
  EXPECT_EQ(trouble_in("onnxruntime: Exception during initialization: std::bad_alloc"),
            Trouble::no_memory);
  EXPECT_EQ(trouble_in("onnxruntime: No space left on device"), Trouble::disk_full);
  EXPECT_EQ(trouble_in("libx.so: failed to map segment from shared object"), Trouble::no_memory);
  EXPECT_EQ(
      trouble_in("libx.so: failed to map segment from shared object: Operation not permitted"),
      Trouble::other);
}

TEST(OrtTrouble, TheNameOfAFileSaysNothing) {
  for (const std::string name : {"/m/no kernel.onnx", "/m/bad_alloc.onnx", "missing/disk full.onnx",
                                 "/m/it's disk full.onnx"}) {
    EXPECT_EQ(trouble_in("onnxruntime: Load model from " + name + " failed: the graph is broken"),
              Trouble::other)
        << name;
  }
  EXPECT_EQ(trouble_in("onnxruntime: Load model from /m/a.onnx failed:std::bad_alloc"),
            Trouble::no_memory);
}

}  // namespace
}  // namespace hone
