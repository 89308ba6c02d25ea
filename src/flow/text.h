#pragma once
// A model that somebody wrote as text, as an ONNX file.

#include <string>

#include "base/result.h"

namespace hone {

struct TextOrder {
  std::string text;  // a file in ONNX's text syntax
  std::string output;
  bool overwrite = false;
};

// The bytes of the model that was written.
Result<std::uint64_t> write_text_as_model(const TextOrder& order);

}  // namespace hone
