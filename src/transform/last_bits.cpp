#include "transform/last_bits.h"

#include <cstring>

#include "base/random.h"

namespace hone {
namespace {

constexpr std::uint64_t fewest_elements_of_a_weight = 64;

// Zero stays zero, and what is not finite stays so.
template <class Bits, Bits exponent>
void flip(std::string& bytes, Random& random) {
  for (std::size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
    Bits bits = 0;
    std::memcpy(&bits, bytes.data() + at, sizeof bits);
    const Bits kind = bits & exponent;
    if (kind == 0 || kind == exponent) continue;
    bits ^= static_cast<Bits>(random.next() & 1);
    std::memcpy(bytes.data() + at, &bits, sizeof bits);
  }
}

Result<TensorPtr> flipped(const TensorPtr& tensor, Random& random) {
  HONE_TRY(const std::string_view view, tensor->bytes());
  std::string bytes(view);
  switch (tensor->type) {
    case ElementType::float32:
      flip<std::uint32_t, 0x7F800000>(bytes, random);
      break;
    case ElementType::float64:
      flip<std::uint64_t, 0x7FF0000000000000>(bytes, random);
      break;
    case ElementType::float16:
      flip<std::uint16_t, 0x7C00>(bytes, random);
      break;
    case ElementType::bfloat16:
      flip<std::uint16_t, 0x7F80>(bytes, random);
      break;
    default:
      return tensor;
  }
  return make_tensor(tensor->name, tensor->type, tensor->dims, Blob::own(std::move(bytes)));
}

}  // namespace

Result<Model> with_last_bits_flipped(const Model& model, std::uint64_t seed) {
  Model copy = clone(model);
  Random random(seed);
  Status status = done();
  map_tensors(copy, [&](const TensorPtr& tensor, const Node*) {
    const bool is_weight =
        is_float(tensor->type) && tensor->element_count() >= fewest_elements_of_a_weight;
    if (!is_weight || !status) return tensor;
    Result<TensorPtr> made = flipped(tensor, random);
    if (!made) status = fail(std::move(made).error());
    return made ? *made : tensor;
  });
  HONE_TRY_DO(std::move(status));
  return copy;
}

Result<Sample> with_last_bits_flipped(const Sample& sample, std::uint64_t seed) {
  Random random(seed);
  Sample made;
  for (const auto& [name, tensor] : sample) {
    HONE_TRY(TensorPtr other, is_float(tensor->type) ? flipped(tensor, random) : tensor);
    made.emplace(name, std::move(other));
  }
  return made;
}

}  // namespace hone
