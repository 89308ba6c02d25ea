#pragma once
// Tests of the real ONNX Runtime.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "runtime/runtime.h"
#include "tests/ort_library.h"

namespace hone {

// Skipped with its reason where there is no library.
class WithRuntime : public testing::Test {
 protected:
  void SetUp() override;
  std::shared_ptr<Runtime> runtime_;
};

// What, why and what to try, for the message of a failed expectation.
std::string words_of(const Error& error);

}  // namespace hone
