#include "measure/trace/qnn_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace hone {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// At most `most` parts; the last one holds all that is left.
std::vector<std::string_view> split_columns(std::string_view line, std::size_t most) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) break;
    parts.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  parts.push_back(line);
  return parts;
}

std::optional<double> read_time(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool is_time = read.ec == std::errc() && read.ptr == end && std::isfinite(value);
  // Beyond 2^53 a double is no exact count any more, and no counter of an inference gets there.
  if (!is_time || value < 0 || value > 0x1p53) return std::nullopt;
  return value;
}

}  // namespace

Result<QnnRows::Header> QnnRows::read_header(std::string_view line) {
  const std::vector<std::string_view> names = split_columns(line, std::string_view::npos);
  Columns columns{.count = names.size()};
  const std::array<std::pair<std::string_view, std::size_t*>, 5> wanted = {{
      {"Message", &columns.message},
      {"Time", &columns.time},
      {"Unit of Measurement", &columns.unit},
      {"Event Level", &columns.level},
      {"Event Identifier", &columns.identifier},
  }};
  std::vector<std::string> missing;
  for (const auto& [name, place] : wanted) {
    std::size_t at = 0;
    while (at < names.size() && names[at] != name) ++at;
    *place = at;
    if (at == names.size()) missing.emplace_back(name);
  }
  if (missing.empty()) return Header{columns};
  if (missing.size() < wanted.size()) {
    return fail(Fault::bad_input, "the header lacks: " + join(missing, ", "));
  }
  if (names.size() < Columns{}.count) {
    return fail(Fault::bad_input, "the first line is no header and no row of a QNN profile: '" +
                                      printable(line.substr(0, 60)) + "'");
  }
  return Header{.columns = {}, .is_row = true};
}

Result<QnnRows> QnnRows::open(std::string_view text, std::uint64_t skip) {
  std::string_view rest = text;
  if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  while (rest.starts_with('\n') || rest.starts_with('\r')) rest.remove_prefix(1);
  std::string_view after_header = rest;
  HONE_TRY(const Header header, read_header(take_line(after_header)));
  std::string_view rows = header.is_row ? rest : after_header;
  const std::uint64_t start = std::min<std::uint64_t>(skip, text.size());
  if (start > static_cast<std::uint64_t>(rows.data() - text.data())) {
    rows = text.substr(start);
    if (text[start - 1] != '\n') take_line(rows);  // the end of a row that was there before
  }
  return QnnRows(rows, header.columns);
}

std::optional<QnnRow> QnnRows::read_row(std::string_view line) const {
  const std::vector<std::string_view> cells = split_columns(line, columns_.count);
  if (cells.size() != columns_.count) return std::nullopt;
  return QnnRow{.message = cells[columns_.message],
                .unit = cells[columns_.unit],
                .level = cells[columns_.level],
                .identifier = cells[columns_.identifier],
                .time = read_time(cells[columns_.time])};
}

std::optional<QnnRow> QnnRows::next() {
  while (!rest_.empty()) {
    const std::string_view line = take_line(rest_);
    if (line.empty()) continue;
    const std::optional<QnnRow> row = read_row(line);
    if (!row) {
      ++unreadable_;
    } else if (row->message != "Message") {  // a header again: two files in one
      return row;
    }
  }
  return std::nullopt;
}

}  // namespace hone
