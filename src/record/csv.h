#pragma once
// A record as one row of a table, from the same field list as its JSON. Text stands as it is, null
// is an empty cell, lists and records are compact JSON inside their cell.

#include <string>

#include "record/fields.h"

namespace hone {

// Quoted where RFC 4180 asks for it.
std::string csv_cell(std::string_view text, char separator = ',');
std::string csv_value(const Json& value, char separator = ',');

// The names, or the values, of all fields; without a line break.
template <Record T>
std::string csv_header(char separator = ',') {
  std::string row;
  const T record{};
  for_each_field(record, [&](std::string_view name, auto&&...) {
    row += (row.empty() ? "" : std::string(1, separator)) + csv_cell(name, separator);
  });
  return row;
}

template <Record T>
std::string csv_row(const T& record, char separator = ',') {
  std::string row;
  bool is_first = true;
  for_each_field(record, [&](std::string_view, const auto& member, auto...) {
    if (!is_first) row += separator;
    is_first = false;
    row += csv_value(to_json(member), separator);
  });
  return row;
}

}  // namespace hone
