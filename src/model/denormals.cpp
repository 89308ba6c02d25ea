#include "model/denormals.h"

#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

namespace hone {
namespace {

// A denormal has no exponent and some mantissa: without its sign it lies in (0, smallest normal).
template <class Float, class Bits>
std::uint64_t count_in(std::string_view bytes) {
  constexpr Bits normal = std::bit_cast<Bits>(std::numeric_limits<Float>::min());
  constexpr Bits magnitude = std::numeric_limits<Bits>::max() >> 1;
  std::uint64_t count = 0;
  for (std::size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
    Bits bits = 0;  // a mapped file may hold it anywhere
    std::memcpy(&bits, bytes.data() + at, sizeof(Bits));
    // Below zero wraps to the largest: one comparison for both ends.
    count += (bits & magnitude) - 1 < normal - 1 ? 1 : 0;
  }
  return count;
}

std::uint64_t count_in(const Tensor& tensor, std::string_view bytes) {
  return tensor.type == ElementType::float32 ? count_in<float, std::uint32_t>(bytes)
                                             : count_in<double, std::uint64_t>(bytes);
}

}  // namespace

DenormalCount count_denormal_weights(const Model& model) {
  DenormalCount count;
  const auto add = [&](const TensorPtr& tensor, const Node*) {
    const bool is_float =
        tensor->type == ElementType::float32 || tensor->type == ElementType::float64;
    if (!is_float) return;
    const auto bytes = tensor->bytes();
    if (!bytes) return;
    count.total += tensor->element_count();
    count.denormal += count_in(*tensor, *bytes);
  };
  for_each_tensor(model, add);
  return count;
}

}  // namespace hone
