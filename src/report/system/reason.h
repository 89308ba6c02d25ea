#pragma once
// Reasons as ONNX Runtime words them, for one line of a table.

#include <string>
#include <string_view>

namespace hone::text_form {

// What a broken ORT_ENFORCE says behind its source file, function and condition ("... was false.
// No supported adapters"), without line ends; any other text as it is.
std::string essence(std::string_view reason);

}  // namespace hone::text_form
