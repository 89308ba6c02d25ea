#pragma once
// What a target wants of a quantized model: one row per preset here, one row per operator in
// op_rules.cpp.

#include <optional>
#include <span>
#include <string_view>

#include "model/graph.h"
#include "transform/quantize/numbers.h"

namespace hone {

struct Preset {
  std::string_view name;
  std::string_view summary;
  unsigned op_bit = 0;  // the rows of op_rules.cpp it takes; 0: every op
  // Does as ONNX Runtime's tools do even where they are mistaken: constants made by nodes are taken
  // for activations, and a Clip is removed although zero lies outside of it.
  bool mirrors_tools = false;
  // Ops that only move numbers are quantized wherever they stand, not only behind a quantized
  // tensor.
  bool quantizes_moved_data = false;
  bool keeps_opset = false;  // 16-bit types below opset 21 in ONNX Runtime's own domain
  bool prefers_unsigned_weights = false;
  bool is_per_channel = false;         // without being asked
  bool has_per_channel_matmul = true;  // when it is asked for
  float least_range = 0;               // narrower ranges are widened
  std::size_t entropy_bins = 2048;     // 128 leave entropy no choice: ONNX Runtime's default
};

std::span<const Preset> all_presets();
// Null when there is none of that name.
const Preset* find_preset(std::string_view name);

// Not nodes with subgraphs or of foreign domains, and not those that are about types.
bool can_be_quantized(const Node& node);
bool takes_node(const Preset& preset, const Node& node);

// The range an operator's output has by definition, where the preset counts on it.
std::optional<RealRange> fixed_range(const Preset& preset, const Node& node, ElementType type);

}  // namespace hone
