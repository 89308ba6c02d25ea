#pragma once
// A model as text in ONNX's own syntax, and a text as the model it says.

#include <string>

#include "base/result.h"
#include "record/where.h"

namespace hone {

// `is_whole`: every element of every tensor, documentation and metadata too; else long tensors show
// their beginning.
Result<std::string> text_of_model(const std::string& given, bool is_whole, const Host& host);

struct TextOrder {
  std::string text;  // a file in ONNX's text syntax
  std::string output;
  bool overwrite = false;
};

// The bytes of the model that was written.
Result<std::uint64_t> write_text_as_model(const TextOrder& order);

}  // namespace hone
