#pragma once
// Whether the EP takes what it is given, as far as rules know: a node that it is known not to take
// fails the build by its name, before a device is asked.

#include <optional>

#include "model/model.h"
#include "record/build.h"
#include "transform/optimize.h"

namespace hone {

struct CoveredModels {
  const Model& before;  // as it came
  const Model& given;   // what the EP gets
};

// Nothing for the CPU EP: the stages have run the model on it.
Result<std::optional<BuildCoverage>> cover_build(const TransformTools& tools,
                                                 const CoveredModels& models, const Target& target);

// Fails with the nodes, their ops and the reasons where the EP is known not to take some. What is
// unknown is no failure.
Status judge_coverage(const BuildCoverage& coverage);

}  // namespace hone
