#include "model/elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/result.h"

namespace hone {
namespace {

struct Half {
  std::uint16_t bits;
};

struct Bfloat {
  std::uint16_t bits;
};

constexpr double largest_half = 65504;
constexpr double largest_bfloat = 0x1.FEp127;

double to_number(Half half) {
  const std::uint32_t sign = (half.bits & 0x8000u) << 16;
  const std::uint32_t rest = half.bits & 0x7FFFu;
  const bool is_finite = rest < 0x7C00;
  // The bits in a float's places have an exponent too small by 112; the product is exact. What is
  // not finite keeps its fraction and takes the float's own exponent for it.
  const float magnitude = is_finite ? std::bit_cast<float>(rest << 13) * 0x1p112F
                                    : std::bit_cast<float>(rest << 13 | 0x7F800000u);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}

double to_number(Bfloat bfloat) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat.bits) << 16);
}

double to_number(auto number) { return static_cast<double>(number); }

// By way of a float, whose bits are rounded to even at the place where a half ends.
Half to_half(double number) {
  const auto narrow = static_cast<float>(std::clamp(number, -largest_half, largest_half));
  const auto bits = std::bit_cast<std::uint32_t>(narrow);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t half = 0;
  if (magnitude >= std::bit_cast<std::uint32_t>(0x1p-14F)) {
    half = ((magnitude + 0xFFF + ((magnitude >> 13) & 1)) >> 13) - (112u << 10);
  } else {
    // The last bit of a float in [1/2, 1) is worth 2^-24, as that of a subnormal half.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
           std::bit_cast<std::uint32_t>(0.5F);
  }
  return {static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000u))};
}

Bfloat to_bfloat(double number) {
  const auto narrow = static_cast<float>(std::clamp(number, -largest_bfloat, largest_bfloat));
  const auto bits = std::bit_cast<std::uint32_t>(narrow);
  const std::uint32_t tie_to_even = 0x7FFF + ((bits >> 16) & 1);
  return {static_cast<std::uint16_t>((bits + tie_to_even) >> 16)};
}

template <class T>
T nearest_value(double number) {
  if constexpr (std::is_same_v<T, double>) {
    return number;
  } else if constexpr (std::is_same_v<T, float>) {
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(number, -most, most));
  } else if constexpr (std::is_same_v<T, Half>) {
    return to_half(number);
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return to_bfloat(number);
  } else {
    constexpr auto least = static_cast<double>(std::numeric_limits<T>::min());
    constexpr T most = std::numeric_limits<T>::max();
    const double rounded = number + (number < 0 ? -0.5 : 0.5);
    if (rounded <= least) return std::numeric_limits<T>::min();
    // 64-bit limits round up to a power of two as doubles, so "not below" is already beyond.
    return rounded >= static_cast<double>(most) ? most : static_cast<T>(rounded);
  }
}

template <class T>
void decode(std::string_view bytes, std::span<double> numbers) {
  const char* at = bytes.data();
  for (double& number : numbers) {
    T value;
    std::memcpy(&value, at, sizeof value);
    number = to_number(value);
    at += sizeof value;
  }
}

template <class T>
void encode(std::span<const double> numbers, char* bytes) {
  for (const double number : numbers) {
    const T value = nearest_value<T>(number);
    std::memcpy(bytes, &value, sizeof value);
    bytes += sizeof value;
  }
}

// Two elements in a byte, the first in the low half.
template <int least>
void decode_nibbles(std::string_view bytes, std::span<double> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int byte = static_cast<unsigned char>(bytes[i / 2]);
    const int value = i % 2 == 0 ? byte & 0x0F : byte >> 4;
    numbers[i] = least < 0 && value > 7 ? value - 16 : value;
  }
}

template <int least>
void encode_nibbles(std::span<const double> numbers, char* bytes) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int value = nearest_value<std::int8_t>(std::clamp<double>(numbers[i], least, least + 15));
    const int low = i % 2 == 0 ? 0 : bytes[i / 2] & 0x0F;
    bytes[i / 2] = static_cast<char>(i % 2 == 0 ? value & 0x0F : low | (value & 0x0F) << 4);
  }
}

struct Codec {
  ElementType type;
  void (*decode)(std::string_view, std::span<double>);
  void (*encode)(std::span<const double>, char*);
};

template <class T>
constexpr Codec codec(ElementType type) {
  return {type, decode<T>, encode<T>};
}

constexpr std::array<Codec, 14> codecs = {{
    codec<float>(ElementType::float32),
    codec<Half>(ElementType::float16),
    codec<Bfloat>(ElementType::bfloat16),
    codec<double>(ElementType::float64),
    codec<std::int8_t>(ElementType::int8),
    codec<std::uint8_t>(ElementType::uint8),
    codec<std::int16_t>(ElementType::int16),
    codec<std::uint16_t>(ElementType::uint16),
    codec<std::int32_t>(ElementType::int32),
    codec<std::uint32_t>(ElementType::uint32),
    codec<std::int64_t>(ElementType::int64),
    codec<std::uint64_t>(ElementType::uint64),
    {ElementType::int4, decode_nibbles<-8>, encode_nibbles<-8>},
    {ElementType::uint4, decode_nibbles<0>, encode_nibbles<0>},
}};

// The largest finite magnitudes, and what comes behind infinity, as bits of floats.
constexpr std::int32_t largest_half_bits = 0x477FE000;
constexpr std::int32_t largest_bfloat_bits = 0x7F7F0000;
constexpr std::int32_t infinity_bits = 0x7F800000;

// Of a magnitude: as to_half() and to_bfloat(), without a branch, so that a compiler does several
// at once.
std::int32_t half_of(std::int32_t magnitude) {
  constexpr auto least_normal = std::bit_cast<std::int32_t>(0x1p-14F);
  constexpr auto one_half = std::bit_cast<std::int32_t>(0.5F);
  const std::int32_t bits = std::min(magnitude, largest_half_bits);
  const std::int32_t normal = ((bits + 0xFFF + ((bits >> 13) & 1)) >> 13) - (112 << 10);
  const std::int32_t subnormal =
      std::bit_cast<std::int32_t>(std::bit_cast<float>(bits) + 0.5F) - one_half;
  const std::int32_t is_subnormal = (bits - least_normal) >> 31;  // all ones, or none
  return normal ^ ((normal ^ subnormal) & is_subnormal);
}

std::int32_t bfloat_of(std::int32_t magnitude) {
  const std::int32_t bits = std::min(magnitude, largest_bfloat_bits);
  return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
}

// Pieces of one size stay in a cache, and a loop over them needs no care for what is left.
constexpr std::size_t elements_at_once = 1024;

// Whether none of them is beyond infinity.
template <std::int32_t (*narrow)(std::int32_t)>
bool narrow_piece(const std::array<std::int32_t, elements_at_once>& floats,
                  std::array<std::uint16_t, elements_at_once>& made) {
  std::int32_t beyond = 0;
  for (std::size_t i = 0; i < elements_at_once; ++i) {
    const std::int32_t magnitude = floats[i] & 0x7FFFFFFF;
    beyond |= infinity_bits - magnitude;  // its sign
    made[i] = static_cast<std::uint16_t>(narrow(magnitude) | ((floats[i] >> 16) & 0x8000));
  }
  return beyond >= 0;
}

template <std::int32_t (*narrow)(std::int32_t)>
bool cast_narrow(std::string_view bytes, char* made) {
  std::array<std::int32_t, elements_at_once> floats{};
  std::array<std::uint16_t, elements_at_once> narrowed{};
  bool are_numbers = true;
  while (!bytes.empty()) {
    const std::size_t now = std::min(bytes.size(), sizeof floats);
    std::memcpy(floats.data(), bytes.data(), now);
    are_numbers &= narrow_piece<narrow>(floats, narrowed);
    std::memcpy(made, narrowed.data(), now / 2);
    if (now < sizeof floats) break;
    bytes.remove_prefix(now);
    made += now / 2;
  }
  return are_numbers;
}

bool cast_by_number(ElementType from, std::string_view bytes, ElementType to, char* made) {
  const std::uint64_t from_bytes = bytes_of(from, 2).value() / 2;
  const std::uint64_t to_bytes = bytes_of(to, 2).value() / 2;
  std::array<double, elements_at_once> numbers{};
  for (; !bytes.empty(); made += elements_at_once * to_bytes) {
    const std::size_t now = std::min<std::size_t>(elements_at_once, bytes.size() / from_bytes);
    const std::span part(numbers.data(), now);
    decode_elements(from, bytes, part);
    if (std::ranges::any_of(part, [](double number) { return std::isnan(number); })) return false;
    encode_elements(to, part, made);
    bytes.remove_prefix(now * from_bytes);
  }
  return true;
}

const Codec* codec_of(ElementType type) {
  const auto found = std::ranges::find(codecs, type, &Codec::type);
  return found == codecs.end() ? nullptr : &*found;
}

}  // namespace

bool holds_numbers(ElementType type) { return codec_of(type) != nullptr; }

void decode_elements(ElementType type, std::string_view bytes, std::span<double> numbers) {
  const Codec* codec = codec_of(type);
  HONE_CHECK(codec != nullptr && bytes.size() >= bytes_of(type, numbers.size()).value_or(0));
  codec->decode(bytes, numbers);
}

void encode_elements(ElementType type, std::span<const double> numbers, char* bytes) {
  const Codec* codec = codec_of(type);
  HONE_CHECK(codec != nullptr);
  codec->encode(numbers, bytes);
}

bool cast_elements(ElementType from, std::string_view bytes, ElementType to, char* made) {
  const bool is_float = from == ElementType::float32;
  if (is_float && to == ElementType::float16) return cast_narrow<half_of>(bytes, made);
  if (is_float && to == ElementType::bfloat16) return cast_narrow<bfloat_of>(bytes, made);
  return cast_by_number(from, bytes, to, made);
}

}  // namespace hone
