#include "model/tensor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace hone {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are read in place: ONNX stores them little-endian");

template <class T>
std::vector<T> unpack(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class Stored, class Wanted>
std::vector<Wanted> widen(std::string_view bytes) {
  const std::vector<Stored> stored = unpack<Stored>(bytes);
  return {stored.begin(), stored.end()};
}

// 4- and 2-bit integers: the first element is in the low bits.
std::vector<std::int64_t> unpack_small(std::string_view bytes, std::uint64_t count, int bits,
                                       bool is_signed) {
  const auto per_byte = static_cast<std::uint64_t>(8 / bits);
  const int mask = (1 << bits) - 1;
  std::vector<std::int64_t> values(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const int byte = static_cast<unsigned char>(bytes[i / per_byte]);
    int value = (byte >> (static_cast<int>(i % per_byte) * bits)) & mask;
    if (is_signed && (value & (1 << (bits - 1))) != 0) value -= 1 << bits;
    values[i] = value;
  }
  return values;
}

double half_to_double(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  double magnitude = 0;
  if (exponent == 0x1F) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else {
    magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  }
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

double bfloat_to_double(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <class Convert>
std::vector<double> convert_halves(std::string_view bytes, Convert convert) {
  std::vector<double> values;
  for (const std::uint16_t half : unpack<std::uint16_t>(bytes)) values.push_back(convert(half));
  return values;
}

template <class T>
TensorPtr make_vector(std::string name, ElementType type, std::span<const T> values, bool scalar) {
  std::vector<std::int64_t> dims;
  if (!scalar) dims.push_back(static_cast<std::int64_t>(values.size()));
  return make_tensor(
      std::move(name), type, std::move(dims),
      Blob::own(std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes())));
}

}  // namespace

std::uint64_t Tensor::element_count() const { return count_elements(dims).value_or(0); }

std::uint64_t Tensor::byte_size() const {
  if (bits_of(type) > 0) return bytes_of(type, element_count()).value_or(0);
  std::uint64_t total = dense.size();
  for (const std::string& text : strings) total += text.size();
  return total;
}

Result<std::string_view> Tensor::bytes() const {
  if (!absent) return dense.view();
  if (!external) {
    return fail(
        Fault::not_found, "tensor '" + name + "' has no data in the model file", {},
        "if the weights were stripped, fill them: hone hydrate MODEL --stats MODEL.stats.json");
  }
  return fail(
      Fault::not_found,
      "the data of tensor '" + name + "' is not there: '" + external->location +
          "' is missing beside the model",
      {}, "put the file there, or fill the weights: hone hydrate MODEL --stats MODEL.stats.json");
}

TensorPtr make_tensor(std::string name, ElementType type, std::vector<std::int64_t> dims,
                      Blob dense) {
  auto tensor = std::make_shared<Tensor>();
  tensor->name = std::move(name);
  tensor->type = type;
  tensor->dims = std::move(dims);
  tensor->dense = std::move(dense);
  HONE_CHECK(tensor->dense.size() == tensor->byte_size());
  return tensor;
}

TensorPtr make_int64_tensor(std::string name, std::span<const std::int64_t> values, bool scalar) {
  return make_vector(std::move(name), ElementType::int64, values, scalar);
}

TensorPtr make_float_tensor(std::string name, std::span<const float> values, bool scalar) {
  return make_vector(std::move(name), ElementType::float32, values, scalar);
}

Result<std::vector<std::int64_t>> to_ints(const Tensor& tensor) {
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  switch (tensor.type) {
    case ElementType::int64:
      return unpack<std::int64_t>(bytes);
    case ElementType::int32:
      return widen<std::int32_t, std::int64_t>(bytes);
    case ElementType::int16:
      return widen<std::int16_t, std::int64_t>(bytes);
    case ElementType::int8:
      return widen<std::int8_t, std::int64_t>(bytes);
    case ElementType::uint32:
      return widen<std::uint32_t, std::int64_t>(bytes);
    case ElementType::uint16:
      return widen<std::uint16_t, std::int64_t>(bytes);
    case ElementType::uint8:
      return widen<std::uint8_t, std::int64_t>(bytes);
    case ElementType::boolean:
      return widen<std::uint8_t, std::int64_t>(bytes);
    case ElementType::uint4:
      return unpack_small(bytes, tensor.element_count(), 4, false);
    case ElementType::int4:
      return unpack_small(bytes, tensor.element_count(), 4, true);
    case ElementType::uint2:
      return unpack_small(bytes, tensor.element_count(), 2, false);
    case ElementType::int2:
      return unpack_small(bytes, tensor.element_count(), 2, true);
    default:
      break;
  }
  return fail(Fault::bad_input, "tensor '" + tensor.name + "' is " + name_of(tensor.type) +
                                    ", which does not fit a signed integer");
}

Result<std::vector<double>> to_doubles(const Tensor& tensor) {
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  switch (tensor.type) {
    case ElementType::float32:
      return widen<float, double>(bytes);
    case ElementType::float64:
      return unpack<double>(bytes);
    case ElementType::float16:
      return convert_halves(bytes, half_to_double);
    case ElementType::bfloat16:
      return convert_halves(bytes, bfloat_to_double);
    default:
      break;
  }
  return fail(Fault::bad_input,
              "tensor '" + tensor.name + "' is " + name_of(tensor.type) + ", not a float type");
}

}  // namespace hone
