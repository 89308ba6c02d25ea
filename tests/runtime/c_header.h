#pragma once
// Reads the function tables of ONNX Runtime out of its official C header: enough of C for that, and
// no more.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone {

// The functions of a table in their order: a function's place is its slot. Fails, with the words it
// stumbled over, where the text has no such struct or a member that is no function.
Result<std::vector<std::string>> read_table(std::string_view header, std::string_view table);

// The minor version the header is of: ORT_API_VERSION.
Result<int> read_api_version(std::string_view header);

}  // namespace hone
