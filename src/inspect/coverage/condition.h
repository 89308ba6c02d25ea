#pragma once
// Does a condition of a rule hold of a node?

#include <string>

#include "model/graph.h"
#include "record/coverage_rules.h"

namespace hone {

// A model does not say all of itself: a type that was not inferred leaves an answer open.
enum class Holds { yes, no, unclear };

struct ConditionAnswer {
  Holds holds = Holds::yes;
  std::string why;  // in words, when it does not hold or is unclear
};

ConditionAnswer judge(const OpCondition& condition, const Node& node);

// A node that computes on what DequantizeLinear hands it: EPs with integer units take both as one.
bool is_quantized(const Node& node);

}  // namespace hone
