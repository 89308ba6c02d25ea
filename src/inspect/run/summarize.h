#pragma once
// What came out of a model, in figures.

#include <optional>

#include "inspect/run/labels.h"
#include "record/run_report.h"

namespace hone {

struct SummaryRules {
  std::size_t top = 5;           // how many classes are shown; 0: none
  std::optional<Labels> labels;  // for outputs of as many classes
};

// Of up to 16 elements all are told. [C] and [1,C] of floats look like scores of classes.
RunOutput summarize(const Tensor& output, const SummaryRules& rules);

}  // namespace hone
