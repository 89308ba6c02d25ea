#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/elements.h"
#include "transform/quantize/fp16.h"

namespace hone {
namespace {

// The ends ONNX Runtime's converter clamps to, as floats.
constexpr float largest = 65504.0F;
constexpr float smallest = 5.96e-08F;
constexpr float smallest_normal = 0x1p-14F;
constexpr std::size_t at_a_time = 4096;

void store(std::uint16_t bits, char* bytes) { std::memcpy(bytes, &bits, sizeof bits); }

struct Seen {
  Fp16RangeNote note;
  bool any_normal = false;
  bool any_subnormal = false;
};

double clamped(float value, Seen& seen) {
  const float magnitude = std::fabs(value);
  if (magnitude == 0.0F) return value;
  (magnitude < smallest_normal ? seen.any_subnormal : seen.any_normal) = true;
  if (magnitude > largest) {
    ++seen.note.too_large;
    return std::copysign(largest, value);
  }
  if (magnitude < smallest) {
    ++seen.note.too_small;
    return std::copysign(smallest, value);
  }
  return value;
}

// What no encoder of numbers takes: infinity and NaN.
void store_special(float value, char* bytes) {
  constexpr std::uint16_t infinity = 0x7C00;
  constexpr std::uint16_t quiet_nan = 0x7E00;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  store(static_cast<std::uint16_t>((std::isnan(value) ? quiet_nan : infinity) | sign), bytes);
}

}  // namespace

Result<Fp16Tensor> to_fp16(const Tensor& tensor) {
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  const std::size_t count = bytes.size() / sizeof(float);
  std::string halves(count * 2, '\0');
  std::vector<float> floats(std::min(count, at_a_time));
  std::vector<double> numbers(floats.size());
  Seen seen;
  for (std::size_t first = 0; first < count; first += at_a_time) {
    const std::size_t part = std::min(at_a_time, count - first);
    std::memcpy(floats.data(), bytes.data() + first * sizeof(float), part * sizeof(float));
    for (std::size_t i = 0; i < part; ++i) {
      numbers[i] = std::isfinite(floats[i]) ? clamped(floats[i], seen) : 0.0;
    }
    char* const target = halves.data() + first * 2;
    encode_elements(ElementType::float16, std::span(numbers).first(part), target);
    for (std::size_t i = 0; i < part; ++i) {
      if (!std::isfinite(floats[i])) store_special(floats[i], target + i * 2);
    }
  }
  seen.note.tensor = tensor.name;
  seen.note.subnormal_only = seen.any_subnormal && !seen.any_normal;
  auto made = std::make_shared<Tensor>();
  made->name = tensor.name;
  made->type = ElementType::float16;
  made->dims = tensor.dims;
  made->dense = Blob::own(std::move(halves));
  made->doc = tensor.doc;
  made->metadata = tensor.metadata;
  return Fp16Tensor{std::move(made), std::move(seen.note)};
}

}  // namespace hone
