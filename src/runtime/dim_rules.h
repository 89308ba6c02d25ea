#pragma once
// The rules by kind of operator; null where an operator is of none.

#include "runtime/dim_tracer.h"

namespace hone {

DimRule find_elementwise_rule(std::string_view op);
DimRule find_attention_rule(std::string_view op);

// One row of a table of rules.
struct DimRuleRow {
  std::string_view op;
  DimRule rule;
};

// What comes out of a node has the shape, and where they are followed the numbers, of what goes in.
void keep_shape(DimTracer& tracer, const Node& node);

}  // namespace hone
