#include "tests/runtime/with_runtime.h"

#include <cstdlib>

namespace hone {

std::string ort_library() {
  const char* chosen = std::getenv("HONE_ORT");
  return chosen != nullptr ? chosen : HONE_SOURCE_DIR "/build/lib/libonnxruntime.so.1";
}

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
