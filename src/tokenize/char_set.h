#pragma once
// A set of characters, made once and asked often: two loads tell whether a character is in it.

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

namespace hone::tokenize {

struct Range {
  char32_t first = 0;
  char32_t last = 0;
};

// Ranges in order, apart from each other.
using Ranges = std::vector<Range>;

inline constexpr char32_t last_character = 0x10FFFF;

void add(Ranges& ranges, Range range);  // in any order; tidy() afterwards
void tidy(Ranges& ranges);
Ranges negated(const Ranges& ranges);
Ranges intersected(const Ranges& a, const Ranges& b);
// With all that differs from a member in case alone.
Ranges closed_over_case(const Ranges& ranges);
// The characters for which it holds. REQUIRES: what it says depends on their records alone.
Ranges where(bool (*holds)(char32_t c, std::uint32_t argument), std::uint32_t argument);

class CharSet {
 public:
  explicit CharSet(const Ranges& ranges);

  bool has(char32_t c) const {
    if (c < 128) return ((ascii_[c >> 6U] >> (c & 63U)) & 1U) != 0;
    const Page& page = pages_[page_of_[c >> 8U]];
    return ((page[(c >> 6U) & 3U] >> (c & 63U)) & 1U) != 0;
  }
  bool has_ascii(unsigned char c) const { return ((ascii_[c >> 6U] >> (c & 63U)) & 1U) != 0; }
  // The bytes that a member may begin with in UTF-8.
  const std::bitset<256>& first_bytes() const { return first_bytes_; }

 private:
  using Page = std::array<std::uint64_t, 4>;
  std::array<std::uint64_t, 2> ascii_{};
  std::vector<std::uint16_t> page_of_{};
  std::vector<Page> pages_{};
  std::bitset<256> first_bytes_{};
};

}  // namespace hone::tokenize
