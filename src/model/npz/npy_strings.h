#pragma once
// Arrays of text as NumPy keeps them: elements of one width, filled up with zeros. Private to npz.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone {

// What '<U5' and '|S5' say: characters of four bytes, or bytes, and how many of them an element
// has.
struct NumpyText {
  std::size_t unit_bytes = 0;  // 0: no type of text
  std::uint64_t width = 0;

  bool is_text() const { return unit_bytes > 0; }
};
NumpyText parse_numpy_text(std::string_view descr);

// REQUIRES: bytes is a whole number of elements, each of at least one unit. What is no character
// becomes U+FFFD.
std::vector<std::string> read_numpy_text(std::string_view bytes, const NumpyText& text);

struct WrittenText {
  std::string descr;  // '<U5'
  std::string bytes;
};
// Every element takes the width of the longest; above 1 GiB that is refused. Zeros at the end of a
// text are lost, as they are in NumPy.
Result<WrittenText> write_numpy_text(const std::vector<std::string>& strings);

}  // namespace hone
