#pragma once
// What is quantized around each operator: one row per op.

#include <cstdint>
#include <string_view>

#include "transform/quantize/plan.h"

namespace hone {

struct QuantizeRule {
  std::string_view op;
  void (*mark)(PlanBuilder& plan, Node& node);
  unsigned presets = 0;    // bits: which presets take the op
  std::int64_t since = 1;  // the first opset whose definition takes integers
};

inline constexpr unsigned in_ort = 1;
inline constexpr unsigned in_cpu = 2;
inline constexpr unsigned in_openvino = 4;

// Null for an op without a rule of its own.
const QuantizeRule* find_rule(std::string_view op);

// What holds for all others: every input and every output that is a float.
void mark_all(PlanBuilder& plan, Node& node);

}  // namespace hone
