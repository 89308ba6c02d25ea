#include "report/trace/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace hone::text_form {
namespace {

constexpr std::string_view ellipsis = "...";

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

}  // namespace

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  std::array<char, 400> buffer{};  // the largest double has 309 digits
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals);
  std::string text(buffer.data(), end.ptr);
  // What is rounded to zero has no sign.
  if (text.starts_with('-') && text.find_first_of("123456789") == std::string::npos)
    text.erase(0, 1);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(text.find('.'), text.size());
  while (at > first + 3) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string duration(double us) {
  const double size = std::abs(us);
  if (size < 0.005) return "0 us";
  if (size < 999.5) return fixed(us, size < 9.995 ? 2 : size < 99.95 ? 1 : 0) + " us";
  const double ms = us / 1000;
  if (size < 999'500) return fixed(ms, size < 9'995 ? 2 : size < 99'950 ? 1 : 0) + " ms";
  return fixed(us / 1e6, 2) + " s";
}

std::string share(double fraction) { return fixed(fraction * 100, 1) + " %"; }

std::string keep_end(const std::string& text, std::size_t width) {
  std::size_t surplus = width_of(text);
  if (surplus <= width) return text;
  surplus -= width - std::min(width, ellipsis.size());
  std::size_t at = 0;
  while (at < text.size() && (surplus > 0 || !starts_character(text[at]))) {
    if (starts_character(text[at])) --surplus;
    ++at;
  }
  return std::string(ellipsis) + text.substr(at);
}

std::string columns(const std::vector<Row>& given, std::size_t widest, std::string_view left) {
  std::vector<Row> rows = given;
  std::vector<std::size_t> widths;
  for (Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      if (i == 0) row[i] = keep_end(row[i], widest);
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - width_of(row[i]), ' ');
      const bool is_left =
          i == 0 || left.find(static_cast<char>('0' + i)) != std::string_view::npos;
      line += "  " + (is_left ? row[i] + gap : gap + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace hone::text_form
