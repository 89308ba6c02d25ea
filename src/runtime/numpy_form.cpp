#include "runtime/numpy_form.h"

#include <array>
#include <cstring>

#include "model/elements.h"
#include "model/string_tensor.h"

namespace hone {
namespace {

struct Widening {
  ElementType own;
  ElementType numpy;
};

constexpr auto widenings = std::to_array<Widening>({{ElementType::bfloat16, ElementType::float32},
                                                    {ElementType::int4, ElementType::int8},
                                                    {ElementType::uint4, ElementType::uint8}});

ElementType numpy_type(ElementType type) {
  for (const Widening& widening : widenings) {
    if (widening.own == type) return widening.numpy;
  }
  return type;
}

// A bfloat16 is the upper half of a float, NaN and infinity included.
std::string widen_bfloats(std::string_view bytes) {
  std::string wide(bytes.size() * 2, '\0');
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    std::memcpy(wide.data() + 2 * i + 2, bytes.data() + i, 2);
  return wide;
}

std::string narrow_to_bfloats(std::string_view bytes) {
  std::string narrow(bytes.size() / 2, '\0');
  for (std::size_t i = 0; i + 1 < narrow.size(); i += 2)
    std::memcpy(narrow.data() + i, bytes.data() + 2 * i + 2, 2);
  return narrow;
}

std::string recode(const Tensor& tensor, ElementType to) {
  if (tensor.type == ElementType::bfloat16) return widen_bfloats(tensor.dense.view());
  if (to == ElementType::bfloat16) return narrow_to_bfloats(tensor.dense.view());
  std::vector<double> numbers(tensor.element_count());
  decode_elements(tensor.type, tensor.dense.view(), numbers);
  std::string bytes(*bytes_of(to, numbers.size()), '\0');
  encode_elements(to, numbers, bytes.data());
  return bytes;
}

}  // namespace

TensorPtr to_numpy_form(const Tensor& tensor) {
  if (tensor.type == ElementType::string)
    return make_string_tensor(tensor.name, tensor.dims, tensor.strings);
  const ElementType to = numpy_type(tensor.type);
  const bool is_small_float = is_float(to) && bits_of(to) < 16;
  if (is_small_float || bits_of(to) < 8) return nullptr;
  std::string bytes = to == tensor.type ? std::string(tensor.dense.view()) : recode(tensor, to);
  return make_tensor(tensor.name, to, tensor.dims, Blob::own(std::move(bytes)));
}

TensorPtr from_numpy_form(const TensorPtr& tensor, ElementType type) {
  if (tensor->type == type || numpy_type(type) != tensor->type) return tensor;
  return make_tensor(tensor->name, type, tensor->dims, Blob::own(recode(*tensor, type)));
}

}  // namespace hone
