#pragma once
// A name that is not in a table: what there is instead, and which of it was probably meant.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace hone {

// The names of a table of plug-ins or facts, in its order.
template <class Row>
std::vector<std::string> names_of(std::span<const Row> rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

inline Failure no_such(const std::string& kind, std::string_view name,
                       std::span<const std::string> known) {
  const std::string near = nearest(name, known);
  return fail(Fault::bad_input, "there is no " + kind + " '" + printable(name) + "'",
              "it is one of: " + join(known, ", "),
              near.empty() ? "" : "did you mean '" + near + "'?");
}

}  // namespace hone
