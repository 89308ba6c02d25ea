#include "report/table.h"

#include <algorithm>

#include "base/text.h"

namespace hone::text_form {
namespace {

// Characters, not bytes: continuation bytes of UTF-8 take no place.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string line_of(const Row& row, const std::vector<std::size_t>& widths,
                    std::string_view right) {
  std::string line = "  ";
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string gap(widths[i] - width_of(row[i]), ' ');
    const bool is_right = right.find(static_cast<char>('0' + i)) != std::string_view::npos;
    line += is_right ? gap + row[i] : row[i] + gap;
    if (i + 1 < row.size()) line += "  ";
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string table(const Rows& given, const TableOptions& options) {
  const std::size_t shown = std::min(given.size(), options.most_rows);
  Rows rows(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(shown));
  std::vector<std::size_t> widths = {options.first_width};
  for (Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string text;
  for (const Row& row : rows) text += line_of(row, widths, options.right);
  if (shown < given.size()) text += "  ... and " + std::to_string(given.size() - shown) + " more\n";
  return text;
}

}  // namespace hone::text_form
