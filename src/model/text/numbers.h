#pragma once
// Numbers as text that reads back to the same bits.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/text/cursor.h"

namespace hone::syntax {

template <class T>
void append_integer(std::string& out, T value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

// The shortest form: 1, 0.1, 1e+20, inf, -nan. A NaN with other than the usual bits is
// nan(0x7f800001).
void append_real(std::string& out, float value);
void append_real(std::string& out, double value);
// The same, but an integral value keeps a point (1.0), so that it cannot be read as an integer.
void append_real_with_point(std::string& out, float value);

// Takes the next token when it is an integer between the two limits.
std::optional<std::int64_t> accept_integer(Cursor& cursor, std::int64_t smallest,
                                           std::int64_t largest);
// The same, or an error in which `what` names the integer.
Result<std::int64_t> read_integer(Cursor& cursor, std::string_view what,
                                  std::int64_t smallest = INT64_MIN,
                                  std::int64_t largest = INT64_MAX);
Result<std::uint64_t> read_unsigned(Cursor& cursor, std::string_view what);

bool at_real(const Cursor& cursor);
// Integers are read as well. T: float, double.
template <class T>
Result<T> read_real(Cursor& cursor);

}  // namespace hone::syntax
