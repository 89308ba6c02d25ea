#pragma once
// Numbers and columns of the reports.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::text_form {

// "1,234.5": as many decimals as asked for, thousands apart.
std::string fixed(double value, int decimals);
// "812 us", "12.4 ms", "1.20 s".
std::string duration(double us);
// "38.2 %" of a share from 0 to 1.
std::string share(double fraction);
// At most `width` characters: where it is longer, "..." and its end, which tells one node from
// another.
std::string keep_end(const std::string& text, std::size_t width);

using Row = std::vector<std::string>;

// Two spaces before each row and between columns. The first column is aligned to the left and is
// never wider than `widest`; the ones named in `left` ("13") are too, all others to the right.
std::string columns(const std::vector<Row>& rows, std::size_t widest, std::string_view left = {});

}  // namespace hone::text_form
