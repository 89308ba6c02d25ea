#pragma once
// What ONNX Runtime, its EPs and the loader say of a failure, sorted. Their words are read here and
// nowhere else.

#include <string_view>

#include "base/result.h"

namespace hone {

// `is_not_implemented`: by the code beside the words. Names of files in the words say nothing: a
// model may be called "disk full.onnx".
Trouble trouble_in(std::string_view said, bool is_not_implemented = false);

}  // namespace hone
