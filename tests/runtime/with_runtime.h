#pragma once
// Tests of the real ONNX Runtime.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "runtime/runtime.h"

namespace hone {

// The library that $HONE_ORT names, or the one `make setup` has fetched.
std::string ort_library();

// Skipped with its reason where there is no library.
class WithRuntime : public testing::Test {
 protected:
  void SetUp() override;
  std::shared_ptr<Runtime> runtime_;
};

// What, why and what to try, for the message of a failed expectation.
std::string words_of(const Error& error);

}  // namespace hone
