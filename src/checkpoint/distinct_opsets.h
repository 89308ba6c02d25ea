#pragma once
// What can be known of an export without opening anything of it.

#include <cstdint>
#include <set>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace hone {

enum class GraphForm;

struct OpsetRange {
  std::int64_t first;
  std::int64_t last;
};

// The first, and those for which the checkpoint is written with other operators than for the opset
// before.
Result<std::set<std::int64_t>> distinct_opsets(const Path& folder, const std::string& weights_file,
                                               GraphForm form, OpsetRange range);

}  // namespace hone
