#pragma once
// The ONNX Runtime that tests run with.

#include <cstdlib>
#include <string>

namespace hone {

// The library that $HONE_ORT names, or the one `make setup` has fetched.
inline std::string ort_library() {
  const char* chosen = std::getenv("HONE_ORT");
  return chosen != nullptr ? chosen : HONE_SOURCE_DIR "/build/lib/libonnxruntime.so.1";
}

}  // namespace hone
