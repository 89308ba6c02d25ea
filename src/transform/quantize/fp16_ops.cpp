#include "transform/quantize/fp16_ops.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/types.h"

namespace hone {
namespace {

constexpr std::string_view microsoft = "com.microsoft";

// The list of ONNX Runtime's converter: no float16 kernel, or results that do not survive it.
// Ops of ai.onnx.ml are not here because all of that domain stays.
constexpr auto kept_float =
    std::to_array<std::string_view>({"CumSum", "Max", "Min", "NonMaxSuppression",
                                     "RandomUniformLike", "Range", "RoiAlign", "TopK", "Upsample",
                                     // Their scales are float whatever the model computes in.
                                     "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul"});

// Ops whose types did not always include float16.
struct Since {
  std::string_view op;
  std::int64_t opset;
};
constexpr auto later =
    std::to_array<Since>({{"DequantizeLinear", 19}, {"IsInf", 20}, {"QuantizeLinear", 19}});

constexpr auto kept_contrib = std::to_array<std::string_view>(
    {"Dynamic", "MatMulIntegerToFloat", "QAttention", "QEmbed", "QGemm", "QLinear", "QOrdered"});

struct Slot {
  std::string_view domain;
  std::string_view op;
  std::size_t index;
};
constexpr auto float_inputs = std::to_array<Slot>({{microsoft, "GroupNorm", 1},
                                                   {microsoft, "GroupNorm", 2},
                                                   {microsoft, "SkipGroupNorm", 1},
                                                   {microsoft, "SkipGroupNorm", 2}});
// Mean and deviation are of the type the sums are made in.
constexpr auto float_outputs =
    std::to_array<Slot>({{"", "LayerNormalization", 1},
                         {"", "LayerNormalization", 2},
                         {"", "SimplifiedLayerNormalization", 1},
                         {microsoft, "SkipLayerNormalization", 1},
                         {microsoft, "SkipLayerNormalization", 2},
                         {microsoft, "SkipSimplifiedLayerNormalization", 1},
                         {microsoft, "SkipSimplifiedLayerNormalization", 2}});

// Attributes that name an element type, and whether leaving them out means float.
struct TypeAttribute {
  std::string_view op;
  std::string_view attribute;
  bool defaults_to_float;
};
constexpr auto type_attributes =
    std::to_array<TypeAttribute>({{"Bernoulli", "dtype", false},
                                  {"BlackmanWindow", "output_datatype", true},
                                  {"Cast", "to", false},
                                  {"EyeLike", "dtype", false},
                                  {"HammingWindow", "output_datatype", true},
                                  {"HannWindow", "output_datatype", true},
                                  {"MelWeightMatrix", "output_datatype", true},
                                  {"RandomNormal", "dtype", true},
                                  {"RandomNormalLike", "dtype", false},
                                  {"RandomUniform", "dtype", true},
                                  {"RandomUniformLike", "dtype", false},
                                  {"SequenceEmpty", "dtype", true}});

bool is_listed(std::span<const Slot> slots, const Node& node, std::size_t index) {
  const std::string_view domain = node.is_default_domain() ? "" : std::string_view(node.domain);
  return std::ranges::any_of(slots, [&](const Slot& slot) {
    return slot.domain == domain && slot.op == node.op_type && slot.index == index;
  });
}

}  // namespace

std::string why_float(const Node& node, std::int64_t opset) {
  if (node.domain == microsoft) {
    const bool is_kept = std::ranges::any_of(
        kept_contrib, [&](std::string_view start) { return node.op_type.starts_with(start); });
    return is_kept ? "it has float scales" : "";
  }
  if (!node.is_default_domain()) return "its domain is not known to have float16";
  if (std::ranges::find(kept_float, node.op_type) != kept_float.end()) {
    return node.op_type + " is kept in float";
  }
  for (const Since& since : later) {
    if (since.op == node.op_type && opset < since.opset) {
      return node.op_type + " has float16 from opset " + std::to_string(since.opset) + " on";
    }
  }
  if (node.is("Constant") && node.attribute("sparse_value")) return "its value is sparse";
  return {};
}

bool takes_float(const Node& node, std::size_t input, std::int64_t opset) {
  // The scales; the input before them came with opset 11.
  if (node.is("Resize")) return input == (opset < 11 ? 1 : 2);
  return is_listed(float_inputs, node, input);
}

bool makes_float(const Node& node, std::size_t output) {
  return is_listed(float_outputs, node, output);
}

void say_type(Node& node, ElementType from, ElementType to) {
  if (!node.is_default_domain()) return;
  for (const TypeAttribute& row : type_attributes) {
    if (row.op != node.op_type) continue;
    const auto unsaid = row.defaults_to_float ? ElementType::float32 : ElementType::undefined;
    const auto said = node.int_or(row.attribute, static_cast<std::int64_t>(unsaid));
    if (said != static_cast<std::int64_t>(from)) continue;
    node.set_attribute(make_attribute(std::string(row.attribute), static_cast<std::int64_t>(to)));
  }
}

}  // namespace hone
