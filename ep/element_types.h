#pragma once
// The numbers ONNX Runtime has for element types, in ONNX's words ("float", "double", "int4"). From
// 24 on they are not those of ONNX itself.

#include <optional>
#include <string>
#include <string_view>

namespace hone::ep {

inline constexpr int element_string = 8;

// "type 99" for a number we do not know.
std::string element_name(int element);
std::optional<int> element_named(std::string_view name);

}  // namespace hone::ep
