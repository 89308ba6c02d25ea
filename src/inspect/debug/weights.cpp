#include "inspect/debug/weights.h"

#include <algorithm>
#include <cmath>

#include "inspect/quantized_ops.h"
#include "model/elements.h"

namespace hone {
namespace {

// Which scale belongs to which element: the elements are rows of `run` neighbours, and rows that
// follow one another along the axis.
struct ScaleLayout {
  std::size_t run = 1;           // elements behind the axis
  std::size_t axis_size = 1;     // rows before the pattern starts again
  std::size_t rows_a_scale = 1;  // neighbours along the axis that share one
  bool has_one = false;          // one scale for all
  bool differs_in_row = false;   // blocks: each element of a row has its own

  std::size_t first_scale(std::size_t row) const {
    if (has_one) return 0;
    if (!differs_in_row) return row % axis_size;
    const std::size_t blocks = (axis_size + rows_a_scale - 1) / rows_a_scale;
    return (row / axis_size * blocks + row % axis_size / rows_a_scale) * run;
  }
};

Failure odd_scales() { return fail(Fault::bad_input, "its scales do not fit its shape"); }

Result<ScaleLayout> layout_of(const Node& dequantize, const Tensor& stored, std::size_t scales) {
  ScaleLayout layout;
  const auto rank = static_cast<std::int64_t>(stored.dims.size());
  const std::int64_t block = dequantize.int_or("block_size", 0);
  if (scales == 1 && block <= 0) {
    layout.has_one = true;
    layout.run = std::max<std::size_t>(stored.element_count(), 1);
    return layout;
  }
  std::int64_t axis = dequantize.int_or("axis", 1);
  if (axis < 0) axis += rank;
  // A list of scales for a vector: the axis cannot be any other.
  if (rank == 1) axis = 0;
  if (axis < 0 || axis >= rank) return odd_scales();
  const auto at = static_cast<std::size_t>(axis);
  layout.axis_size = static_cast<std::size_t>(stored.dims[at]);
  std::size_t rows = layout.axis_size;
  for (std::size_t i = 0; i < stored.dims.size(); ++i) {
    if (i < at) rows *= static_cast<std::size_t>(stored.dims[i]);
    if (i > at) layout.run *= static_cast<std::size_t>(stored.dims[i]);
  }
  layout.differs_in_row = block > 0;
  layout.rows_a_scale = block > 0 ? static_cast<std::size_t>(block) : 1;
  if (rows == 0 || layout.run == 0) return layout;
  const std::size_t needed =
      block > 0 ? layout.first_scale(rows - 1) + layout.run : layout.axis_size;
  return scales == needed ? Result<ScaleLayout>(layout) : odd_scales();
}

Result<std::vector<double>> numbers_of(const Value* value, const char* what) {
  const TensorPtr tensor = weight_behind(value);
  if (!tensor) return fail(Fault::unsupported, std::string("its ") + what + " is computed");
  if (!holds_numbers(tensor->type)) {
    return fail(Fault::unsupported,
                std::string("its ") + what + " is of type " + name_of(tensor->type));
  }
  HONE_TRY(const std::string_view bytes, tensor->bytes());
  std::vector<double> numbers(tensor->element_count());
  decode_elements(tensor->type, bytes, numbers);
  return numbers;
}

struct Limits {
  double low;
  double high;
};

Limits limits_of(ElementType type) {
  const double levels = std::ldexp(1.0, bits_of(type));
  const bool is_unsigned = name_of(type).starts_with("u");
  return is_unsigned ? Limits{0, levels - 1} : Limits{-levels / 2, levels / 2 - 1};
}

class Dequantizer {
 public:
  Dequantizer(ScaleLayout layout, std::vector<double> scales, std::vector<double> zeros)
      : layout_(layout), scales_(std::move(scales)), zeros_(std::move(zeros)) {}

  // Integers from `begin` on become floats, in place.
  void to_floats(std::size_t begin, std::span<double> numbers) const {
    for_each_row(begin, numbers,
                 [](double number, double scale, double zero) { return (number - zero) * scale; });
  }
  // Floats become what the nearest integers stand for.
  void round(std::size_t begin, std::span<double> numbers, Limits limits) const {
    for_each_row(begin, numbers, [limits](double number, double scale, double zero) {
      const double integer = std::nearbyint(number / scale) + zero;
      const double left = (std::clamp(integer, limits.low, limits.high) - zero) * scale;
      return static_cast<double>(static_cast<float>(left));  // as the kernel has it
    });
  }

 private:
  template <class Change>
  void for_each_row(std::size_t begin, std::span<double> numbers, Change change) const {
    for (std::size_t at = 0; at < numbers.size();) {
      const std::size_t offset = (begin + at) % layout_.run;
      const std::size_t count = std::min(numbers.size() - at, layout_.run - offset);
      const std::span<double> row = numbers.subspan(at, count);
      const std::size_t first = layout_.first_scale((begin + at) / layout_.run);
      if (layout_.differs_in_row) {
        for (std::size_t i = 0; i < count; ++i)
          row[i] = change(row[i], scales_[first + offset + i], zero_at(first + offset + i));
      } else {
        const double scale = scales_[first];
        const double zero = zero_at(first);
        for (double& number : row) number = change(number, scale, zero);
      }
      at += count;
    }
  }
  double zero_at(std::size_t index) const { return zeros_[zeros_.size() == 1 ? 0 : index]; }

  ScaleLayout layout_;
  std::vector<double> scales_;
  std::vector<double> zeros_;
};

// An even number, so that 4-bit elements start at a byte.
constexpr std::size_t block = 4096;

void decode(const Tensor& tensor, std::size_t begin, std::span<double> numbers) {
  const auto bits = static_cast<std::size_t>(bits_of(tensor.type));
  decode_elements(tensor.type, tensor.dense.view().substr(begin * bits / 8), numbers);
}

Result<ErrorSums> compare_half(const Tensor& stored, const Tensor& original) {
  if (original.element_count() != stored.element_count())
    return fail(Fault::bad_input, "the float model's '" + original.name + "' has another shape");
  ErrorSums sums;
  HONE_TRY_DO(sums.add(original, stored));
  return sums;
}

}  // namespace

Result<ErrorSums> compare_weight(const StoredWeight& weight, const Tensor& original) {
  const Tensor& stored = *weight.stored;
  if (weight.dequantize == nullptr) return compare_half(stored, original);
  if (!holds_numbers(stored.type) || !holds_numbers(original.type) || is_float(weight.type)) {
    return fail(Fault::unsupported,
                "weights of type " + name_of(weight.type) + " are not compared");
  }
  if (original.element_count() != stored.element_count())
    return fail(Fault::bad_input, "the float model's '" + original.name + "' has another shape");
  HONE_TRY_DO(stored.bytes());
  HONE_TRY_DO(original.bytes());
  HONE_TRY(std::vector<double> scales, numbers_of(weight.dequantize->input(1), "scale"));
  std::vector<double> zeros = {0};
  if (weight.dequantize->input(2) != nullptr) {
    HONE_TRY(zeros, numbers_of(weight.dequantize->input(2), "zero point"));
  }
  if (zeros.size() != 1 && zeros.size() != scales.size()) return odd_scales();
  HONE_TRY(const ScaleLayout layout, layout_of(*weight.dequantize, stored, scales.size()));
  const Dequantizer dequantizer(layout, std::move(scales), std::move(zeros));
  const Limits limits = limits_of(weight.type);
  ErrorSums sums;
  std::vector<double> given;
  std::vector<double> left;
  const std::size_t total = stored.element_count();
  for (std::size_t begin = 0; begin < total; begin += block) {
    given.resize(std::min(block, total - begin));
    left.resize(given.size());
    decode(original, begin, given);
    decode(stored, begin, left);
    if (weight.quantize != nullptr) {
      dequantizer.round(begin, left, limits);
    } else {
      dequantizer.to_floats(begin, left);
    }
    sums.add(std::span<const double>(given), std::span<const double>(left));
  }
  return sums;
}

}  // namespace hone
