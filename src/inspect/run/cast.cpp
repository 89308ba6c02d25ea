#include "inspect/run/cast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "model/elements.h"

namespace hone {
namespace {

bool is_number(ElementType type) { return holds_numbers(type) || type == ElementType::boolean; }

// Booleans are bytes of 0 and 1.
ElementType stored_as(ElementType type) {
  return type == ElementType::boolean ? ElementType::uint8 : type;
}

std::vector<double> decode(ElementType type, std::string_view bytes, std::size_t count) {
  std::vector<double> numbers(count);
  decode_elements(stored_as(type), bytes, numbers);
  return numbers;
}

template <class T>
void put(std::string& bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
}

// NaN and infinity, which the encoder leaves to us.
void put_special(std::string& bytes, ElementType to, std::size_t index, double value) {
  const auto narrow = static_cast<float>(value);
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto half = static_cast<std::uint16_t>(sign | (std::isnan(value) ? 0x7E00 : 0x7C00));
  switch (to) {
    case ElementType::float64:
      return put(bytes, index, value);
    case ElementType::float32:
      return put(bytes, index, narrow);
    case ElementType::bfloat16:
      return put(bytes, index,
                 static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(narrow) >> 16));
    default:
      return put(bytes, index, half);
  }
}

std::string encode(ElementType to, const std::vector<double>& numbers) {
  std::vector<double> finite = numbers;
  for (double& number : finite) {
    if (!std::isfinite(number)) number = 0;
    if (to == ElementType::boolean) number = number != 0 ? 1 : 0;
  }
  std::string bytes(*bytes_of(stored_as(to), numbers.size()), '\0');
  encode_elements(stored_as(to), finite, bytes.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) put_special(bytes, to, i, numbers[i]);
  }
  return bytes;
}

// How far what was encoded is from what it should be.
CastLoss loss_of(ElementType to, const std::vector<double>& wanted,
                 const std::vector<double>& made) {
  CastLoss loss = CastLoss::none;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == made[i] || !std::isfinite(wanted[i])) continue;
    // What is beyond the range comes back as its end.
    const double step = std::abs(wanted[i]) * 0x1p-9 + 0x1p-24;
    if (!is_float(to) || std::abs(wanted[i] - made[i]) > step) return CastLoss::lost;
    loss = CastLoss::rounded;
  }
  return loss;
}

// Integers of 64 bits that a double cannot hold.
bool is_beyond_doubles(const Tensor& tensor, const std::vector<double>& numbers) {
  if (tensor.type != ElementType::int64 && tensor.type != ElementType::uint64) return false;
  std::string again(tensor.dense.size(), '\0');
  encode_elements(tensor.type, numbers, again.data());
  return again != tensor.dense.view();
}

}  // namespace

Result<Cast> cast_tensor(const Tensor& tensor, ElementType to) {
  if (!is_number(tensor.type) || !is_number(to)) {
    return fail(Fault::bad_input, name_of(tensor.type) + " cannot be cast to " + name_of(to));
  }
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  const std::vector<double> numbers = decode(tensor.type, bytes, tensor.element_count());
  const auto is_special = [](double number) { return !std::isfinite(number); };
  if (!is_float(to) && std::ranges::any_of(numbers, is_special))
    return fail(Fault::bad_input, "NaN and infinity have no value in " + name_of(to));
  std::string made = encode(to, numbers);
  CastLoss loss = loss_of(to, numbers, decode(to, made, numbers.size()));
  if (is_beyond_doubles(tensor, numbers))
    loss = is_float(to) ? std::max(loss, CastLoss::rounded) : CastLoss::lost;
  return Cast{make_tensor(tensor.name, to, tensor.dims, Blob::own(std::move(made))), loss};
}

}  // namespace hone
