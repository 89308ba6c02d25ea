#include "tests/runtime/with_runtime.h"

namespace hone {

void WithRuntime::SetUp() {
  if (!std::filesystem::exists(ort_library()))
    GTEST_SKIP() << "no ONNX Runtime at " << ort_library() << ": run make setup";
  auto loaded = Runtime::load({ort_library()});
  ASSERT_TRUE(loaded) << words_of(loaded.error());
  runtime_ = *loaded;
}

std::string words_of(const Error& error) {
  return error.what + ": " + error.cause + (error.hint.empty() ? "" : " (" + error.hint + ")");
}

}  // namespace hone
