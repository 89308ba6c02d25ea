#pragma once
// A model whose inputs have one shape each: what that decides is computed ahead of time.

#include "record/fix_shapes.h"
#include "record/recipe.h"
#include "transform/optimize.h"

namespace hone {

struct FixedModel {
  Model model;
  FixShapesReport report;
};

// The model with inputs of these shapes. Shapes are inferred through the graph; computed shapes,
// all that depends on constants alone, and Ifs whose condition is known are replaced by what they
// come to, until nothing more follows. Outputs and all values carry the shapes that are known then.
// Both models are run on the samples and must give the same bytes, else it fails; without samples
// it is for looking at alone.
Result<FixedModel> fix_shapes(const TransformTools& tools, const Model& model,
                              const InputShapes& shapes,
                              const std::optional<SampleSource>& samples);

}  // namespace hone
