#include "transform/quantize/presets.h"

#include <algorithm>
#include <array>

#include "transform/quantize/op_rules.h"

namespace hone {
namespace {

constexpr auto presets = std::to_array<Preset>({
    {.name = "ort",
     .summary = "what ONNX Runtime's quantize_static makes, tensor by tensor",
     .op_bit = in_ort,
     .mirrors_tools = true,
     .entropy_bins = 128},
    {.name = "cpu",
     .summary = "only what ONNX Runtime's CPU EP computes in integers",
     .op_bit = in_cpu},
    {.name = "qnn",
     .summary = "every op, as Qualcomm's NPUs want it",
     .quantizes_moved_data = true,
     .keeps_opset = true,
     .prefers_unsigned_weights = true,
     .has_per_channel_matmul = false,
     .least_range = 1e-4F},
    {.name = "openvino",
     .summary = "weights per channel, as OpenVINO's own tools make them",
     .op_bit = in_openvino,
     .is_per_channel = true},
});

// Never quantized, whatever a preset or a user says: they are about types, or have no numbers of
// their own.
constexpr auto never =
    std::to_array<std::string_view>({"Cast", "CastLike", "Constant", "QuantizeLinear",
                                     "DequantizeLinear", "DynamicQuantizeLinear", "MatMulNBits"});

// Outputs that cannot leave a range, whatever the samples show. An empty preset means all of them.
struct FixedRange {
  std::string_view op;
  std::string_view preset;
  ElementType type;  // undefined: any
  RealRange range;
};

constexpr auto any = ElementType::undefined;
constexpr auto u16 = ElementType::uint16;
constexpr auto s16 = ElementType::int16;
// Qualcomm's NPUs take 16-bit Sigmoid and Tanh at exactly these powers of two: 2^-16 or 2^-15.
constexpr auto fixed_ranges = std::to_array<FixedRange>({
    {"Softmax", "", any, {0, 1}},
    {"Sigmoid", "qnn", u16, {0, 65535.0F / 65536}},
    {"Sigmoid", "qnn", s16, {-1, 32767.0F / 32768}},
    {"Tanh", "qnn", u16, {-1, 32767.0F / 32768}},
    {"Tanh", "qnn", s16, {-1, 32767.0F / 32768}},
    {"Sigmoid", "openvino", u16, {0, 1}},
    {"Tanh", "openvino", u16, {-1, 1}},
    {"Sigmoid", "openvino", s16, {0, 1}},
    {"Tanh", "openvino", s16, {-1, 1}},
});

}  // namespace

std::span<const Preset> all_presets() { return presets; }

const Preset* find_preset(std::string_view name) {
  const auto found = std::ranges::find(presets, name, &Preset::name);
  return found != presets.end() ? &*found : nullptr;
}

bool can_be_quantized(const Node& node) {
  const bool is_known_domain = node.is_default_domain() || node.domain == "com.microsoft";
  return is_known_domain && node.subgraphs().empty() &&
         std::ranges::find(never, node.op_type) == never.end();
}

bool takes_node(const Preset& preset, const Node& node) {
  if (!can_be_quantized(node)) return false;
  if (preset.op_bit == 0) return true;
  const QuantizeRule* rule = find_rule(node.op_type);
  return rule != nullptr && (rule->presets & preset.op_bit) != 0;
}

std::optional<RealRange> fixed_range(const Preset& preset, const Node& node, ElementType type) {
  for (const FixedRange& row : fixed_ranges) {
    const bool fits = row.op == node.op_type && (row.preset.empty() || row.preset == preset.name) &&
                      (row.type == any || row.type == type);
    if (fits) return row.range;
  }
  return std::nullopt;
}

}  // namespace hone
