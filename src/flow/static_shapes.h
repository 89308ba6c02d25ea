#pragma once
// One size for every open dimension of a model's inputs: what the user says and what follows from
// it. Nothing is guessed: what is built for one size is of no use with another.

#include "flow/inputs.h"
#include "record/recipe.h"

namespace hone {

struct StaticShapesWanted {
  Path model;
  std::string shape_config{};
  std::string why{};  // a sentence: "qnn takes static shapes alone"
};

// The whole shape of each input that has an open dimension. Where sizes are missing it fails with
// those that are, and with words that can be pasted: sizes that were tried, and run.
Result<InputShapes> settle_static_shapes(const Where& where, const StaticShapesWanted& wanted);

}  // namespace hone
