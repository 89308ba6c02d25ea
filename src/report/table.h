#pragma once
// Text in columns.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "report/trace/text.h"

namespace hone::text_form {

using Rows = std::vector<Row>;

struct TableOptions {
  std::size_t first_width = 0;  // the first column is at least as wide
  std::string_view right = {};  // the columns, "12", that are aligned to the right
  // What is beyond is counted in a last line: "... and 12 more".
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();
};

// Each row indented by two spaces, columns two spaces apart and as wide as their widest cell. Cells
// may hold names from a model: control characters are made visible.
std::string table(const Rows& rows, const TableOptions& options = {});

}  // namespace hone::text_form
