#pragma once
// Where the time went before and after: the traces of the baseline and of what ships, by op type.

#include <optional>

#include "record/trace.h"
#include "report/html/html.h"

namespace hone {

struct SearchTraces {
  std::optional<OpTrace> before;  // of the baseline
  std::optional<OpTrace> after;   // of the champion
};

// Empty unless both traces have operators.
Html trace_table(const SearchTraces& traces);

}  // namespace hone
