#pragma once
// One tensor element to and from text. Integers and booleans are numbers. The small float types are
// their bit patterns, as in ONNX's own text. A complex number is two numbers.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/text/cursor.h"
#include "model/types.h"

namespace hone::syntax {

// REQUIRES: bits_of(type) > 0 and `bytes` holds element `index`.
void append_element(std::string& out, ElementType type, std::string_view bytes, std::uint64_t index,
                    bool half_values);

// Reads an element and appends it to dense bytes, of which it is number `index`.
// REQUIRES: bits_of(type) > 0.
Status read_element(Cursor& cursor, ElementType type, std::uint64_t index, std::string& dense);

}  // namespace hone::syntax
