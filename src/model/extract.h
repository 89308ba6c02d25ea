#pragma once
// A part of a model as a model of its own.

#include <vector>

#include "model/model.h"

namespace hone {

struct ModelPart {
  std::vector<const Node*> nodes;    // of the main graph, in topological order
  std::vector<const Value*> inputs;  // of the part; each must have a type
  std::vector<const Value*> outputs;
};

// Shares every tensor. What the nodes read is among the inputs, made by an earlier node of the
// part, or an initializer, of which only those that are used come along. Names stay.
Model extract(const Model& model, const ModelPart& part);

}  // namespace hone
