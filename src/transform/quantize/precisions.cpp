#include "transform/quantize/precisions.h"

#include <algorithm>
#include <array>

#include "transform/quantize/static.h"
#include "transform/quantize/weights.h"

namespace hone {
namespace {

using enum ElementType;

constexpr auto precisions = std::to_array<Precision>({
    {"w8a8", "8-bit weights and activations", int8, uint8, apply_static},
    {"w8a16", "8-bit weights, 16-bit activations", int8, uint16, apply_static},
    {"w16a8", "16-bit weights, 8-bit activations", int16, uint8, apply_static},
    {"int16", "16-bit weights and activations", int16, uint16, apply_static},
    {"int4", "4-bit weights of MatMuls in blocks, each with its scale", undefined, undefined,
     apply_int4},
    {"fp16", "half precision where it is safe; inputs and outputs stay as they are", undefined,
     undefined, apply_fp16},
    {"dynamic", "8-bit weights, activations quantized while the model runs", int8, undefined,
     apply_dynamic},
});

}  // namespace

std::span<const Precision> all_precisions() { return precisions; }

const Precision* find_precision(std::string_view name) {
  const auto found = std::ranges::find(precisions, name, &Precision::name);
  return found != precisions.end() ? &*found : nullptr;
}

}  // namespace hone
