#include "model/text/elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "model/elements.h"
#include "model/text/numbers.h"

namespace hone::syntax {
namespace {

bool is_signed(ElementType type) {
  switch (type) {
    case ElementType::int2:
    case ElementType::int4:
    case ElementType::int8:
    case ElementType::int16:
    case ElementType::int32:
    case ElementType::int64:
      return true;
    default:
      return false;
  }
}

// The 16-bit floats, which are read as values too.
struct Half {
  ElementType type;
  double largest;
  std::uint16_t infinity;
  std::uint16_t nan;
};
constexpr std::array<Half, 2> halves = {{
    {ElementType::float16, 65504, 0x7C00, 0x7E00},
    {ElementType::bfloat16, 0x1.FEp127, 0x7F80, 0x7FC0},
}};

const Half* half_of(ElementType type) {
  const auto found = std::ranges::find(halves, type, &Half::type);
  return found == halves.end() ? nullptr : &*found;
}

template <class T>
T load(std::string_view bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

template <class T>
void store(std::string& dense, T value) {
  dense.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The bits of an element; those of 4- and 2-bit types are packed, the first in the low bits.
std::uint64_t load_bits(ElementType type, std::string_view bytes, std::uint64_t index) {
  const auto bits = static_cast<std::uint64_t>(bits_of(type));
  std::uint64_t value = 0;
  if (bits >= 8) {
    std::memcpy(&value, bytes.data() + index * (bits / 8), bits / 8);
    return value;
  }
  const std::uint64_t per_byte = 8 / bits;
  const auto byte = static_cast<unsigned char>(bytes[index / per_byte]);
  return (byte >> (index % per_byte * bits)) & ((1u << bits) - 1);
}

void store_bits(ElementType type, std::uint64_t value, std::uint64_t index, std::string& dense) {
  const auto bits = static_cast<std::uint64_t>(bits_of(type));
  if (bits >= 8) {
    dense.append(reinterpret_cast<const char*>(&value), bits / 8);
    return;
  }
  const std::uint64_t place = index % (8 / bits);
  if (place == 0) dense += '\0';
  const std::uint64_t field = (value & ((1u << bits) - 1)) << (place * bits);
  dense.back() = static_cast<char>(static_cast<unsigned char>(dense.back()) | field);
}

template <class T>
Status read_reals(Cursor& cursor, int count, std::string& dense) {
  for (int i = 0; i < count; ++i) {
    if (i > 0) HONE_TRY_DO(cursor.expect(',', "before the imaginary part"));
    HONE_TRY(const T value, read_real<T>(cursor));
    store(dense, value);
  }
  return done();
}

Status read_half(Cursor& cursor, const Half& half, std::string& dense) {
  const Token token = cursor.peek();
  HONE_TRY(const double value, read_real<double>(cursor));
  std::uint16_t bits = std::isnan(value) ? half.nan : half.infinity;
  if (std::isfinite(value)) {
    if (std::fabs(value) > half.largest) {
      return cursor.error(token.offset, "the number " + std::string(token.text) +
                                            " is out of the range of " + name_of(half.type));
    }
    encode_elements(half.type, std::span(&value, 1), reinterpret_cast<char*>(&bits));
  } else if (std::signbit(value)) {
    bits |= 0x8000;
  }
  store(dense, bits);
  return done();
}

Status read_bits(Cursor& cursor, ElementType type, std::uint64_t index, std::string& dense) {
  if (type == ElementType::uint64) {
    HONE_TRY(const std::uint64_t value, read_unsigned(cursor, "an element of uint64"));
    store(dense, value);
    return done();
  }
  const int bits = bits_of(type);
  const bool has_sign = is_signed(type);
  const std::int64_t largest = INT64_MAX >> (has_sign ? 64 - bits : 63 - bits);
  const std::int64_t smallest = has_sign ? -largest - 1 : 0;
  const auto value = accept_integer(cursor, smallest, largest);
  if (!value) {
    const std::string what = is_float(type) ? "the bit pattern of a " : "an element of ";
    return fail(read_integer(cursor, what + name_of(type), smallest, largest).error());
  }
  store_bits(type, static_cast<std::uint64_t>(*value), index, dense);
  return done();
}

}  // namespace

void append_element(std::string& out, ElementType type, std::string_view bytes, std::uint64_t index,
                    bool half_values) {
  switch (type) {
    case ElementType::float32:
      append_real(out, load<float>(bytes, index));
      return;
    case ElementType::float64:
      append_real(out, load<double>(bytes, index));
      return;
    case ElementType::complex64:
      append_real(out, load<float>(bytes, 2 * index));
      out += ", ";
      append_real(out, load<float>(bytes, 2 * index + 1));
      return;
    case ElementType::complex128:
      append_real(out, load<double>(bytes, 2 * index));
      out += ", ";
      append_real(out, load<double>(bytes, 2 * index + 1));
      return;
    default:
      break;
  }
  const std::uint64_t bits = load_bits(type, bytes, index);
  if (half_values && half_of(type) != nullptr) {
    double value = 0;
    decode_elements(type, bytes.substr(2 * index, 2), std::span(&value, 1));
    // A NaN stays a pattern, which keeps all of its bits.
    if (!std::isnan(value)) return append_real_with_point(out, static_cast<float>(value));
  }
  if (is_signed(type)) {
    const int unused = 64 - bits_of(type);
    append_integer(out, static_cast<std::int64_t>(bits << unused) >> unused);
  } else {
    append_integer(out, bits);
  }
}

Status read_element(Cursor& cursor, ElementType type, std::uint64_t index, std::string& dense) {
  switch (type) {
    case ElementType::float32:
      return read_reals<float>(cursor, 1, dense);
    case ElementType::float64:
      return read_reals<double>(cursor, 1, dense);
    case ElementType::complex64:
      return read_reals<float>(cursor, 2, dense);
    case ElementType::complex128:
      return read_reals<double>(cursor, 2, dense);
    default:
      break;
  }
  const Half* half = half_of(type);
  if (half != nullptr && at_real(cursor)) return read_half(cursor, *half, dense);
  return read_bits(cursor, type, index, dense);
}

}  // namespace hone::syntax
