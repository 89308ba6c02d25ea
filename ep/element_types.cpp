#include "ep/element_types.h"

#include <algorithm>
#include <array>

namespace hone::ep {
namespace {

constexpr std::array<std::string_view, 27> names = {
    "undefined",      "float",      "uint8",          "int8",       "uint16",   "int16",
    "int32",          "int64",      "string",         "bool",       "float16",  "double",
    "uint32",         "uint64",     "complex64",      "complex128", "bfloat16", "float8e4m3fn",
    "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",     "float4e2m1",
    "uint2",          "int2",       "float8e8m0"};

}  // namespace

std::string element_name(int element) {
  if (element < 0 || element >= static_cast<int>(names.size())) {
    return "type " + std::to_string(element);
  }
  return std::string(names[static_cast<std::size_t>(element)]);
}

std::optional<int> element_named(std::string_view name) {
  const auto found = std::find(names.begin() + 1, names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<int>(found - names.begin());
}

}  // namespace hone::ep
