#pragma once
// A graph may take the best of many rows by their scores (a detector's most promising places) and
// go on with those alone. Where scores are equal but for rounding, a program that is as right takes
// others, or in another order, and nothing behind them can be compared. So the graph is run on the
// rows that the reference has taken, where they are among the best by the graph's own scores.

#include <memory>
#include <optional>

#include "base/file.h"
#include "record/export.h"
#include "runtime/session.h"

namespace hone {

struct OnRowsOfReference {
  TakenRows rows;        // without the name of the part
  NamedTensors outputs;  // of the model, on those rows
};

// Nothing where the model takes no rows by their scores, or more than once, where no output of the
// reference shows them, where they are its own, and where they are worse than others by more than
// `most_share` of the largest score. REQUIRES: the model's outputs have the shapes of the
// reference's.
Result<std::optional<OnRowsOfReference>> run_on_rows_of(const std::shared_ptr<Runtime>& runtime,
                                                        const Path& model,
                                                        const NamedTensors& inputs,
                                                        const NamedTensors& reference,
                                                        double most_share);

}  // namespace hone
