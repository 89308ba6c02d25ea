#include "record/csv.h"

namespace hone {

std::string csv_cell(std::string_view text, char separator) {
  const bool is_plain = text.find_first_of("\"\r\n") == std::string_view::npos &&
                        text.find(separator) == std::string_view::npos;
  if (is_plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_value(const Json& value, char separator) {
  if (value.is_null()) return {};
  if (const std::string* text = value.as_string()) return csv_cell(*text, separator);
  return csv_cell(value.dump(-1), separator);
}

}  // namespace hone
