#include "inspect/eval/similarity.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/text.h"
#include "model/elements.h"

namespace hone {
namespace {

struct Sums {
  double signal = 0;
  double noise = 0;
  double peak = 0;
  double max_abs = 0;
};

// Values that are not finite on both sides agree; on one side only nothing can be said.
std::optional<Sums> sums_of(std::span<const double> reference, std::span<const double> other) {
  Sums sums;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (!std::isfinite(reference[i]) || !std::isfinite(other[i])) {
      const bool agree =
          reference[i] == other[i] || (std::isnan(reference[i]) && std::isnan(other[i]));
      if (!agree) return std::nullopt;
      continue;
    }
    const double apart = reference[i] - other[i];
    sums.signal += reference[i] * reference[i];
    sums.noise += apart * apart;
    sums.peak = std::max(sums.peak, std::abs(reference[i]));
    sums.max_abs = std::max(sums.max_abs, std::abs(apart));
  }
  return sums;
}

std::string shape_text(const Tensor& tensor) {
  std::vector<std::string> dims;
  for (const std::int64_t dim : tensor.dims) dims.push_back(std::to_string(dim));
  return "[" + join(dims, ",") + "]";
}

bool are_texts(const Tensor& reference, const Tensor& other) {
  return reference.type == ElementType::string && other.type == ElementType::string;
}

// Of `these` that are not finite where the others are.
std::size_t not_finite_alone(std::span<const double> these, std::span<const double> others) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < these.size(); ++i)
    count += !std::isfinite(these[i]) && std::isfinite(others[i]) ? 1 : 0;
  return count;
}

std::optional<double> agreement(const Tensor& shape, std::span<const double> reference,
                                std::span<const double> other) {
  const std::size_t rank = shape.dims.size();
  if (rank != 2 && rank != 3) return std::nullopt;
  const auto classes = static_cast<std::size_t>(shape.dims.back());
  if (classes < 2 || reference.empty()) return std::nullopt;
  std::size_t agreed = 0;
  for (std::size_t at = 0; at < reference.size(); at += classes) {
    const bool same = index_of_largest(reference.subspan(at, classes)) ==
                      index_of_largest(other.subspan(at, classes));
    agreed += same ? 1 : 0;
  }
  return static_cast<double>(agreed * classes) / static_cast<double>(reference.size());
}

}  // namespace

std::size_t index_of_largest(std::span<const double> row) {
  return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

std::optional<std::vector<double>> numbers_in(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  const bool is_flags = tensor.type == ElementType::boolean;
  if (!bytes || (!is_flags && !holds_numbers(tensor.type))) return std::nullopt;
  std::vector<double> numbers(tensor.element_count());
  if (is_flags) {
    std::ranges::transform(*bytes, numbers.begin(),
                           [](char flag) { return flag != 0 ? 1.0 : 0.0; });
    return numbers;
  }
  decode_elements(tensor.type, *bytes, numbers);
  return numbers;
}

double cosine_of(std::span<const double> a, std::span<const double> b) {
  double product = 0;
  double a2 = 0;
  double b2 = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) continue;
    product += a[i] * b[i];
    a2 += a[i] * a[i];
    b2 += b[i] * b[i];
  }
  if (a2 == 0 && b2 == 0) return 1;
  if (a2 == 0 || b2 == 0) return 0;
  return std::clamp(product / (std::sqrt(a2) * std::sqrt(b2)), -1.0, 1.0);
}

bool is_same_but_for_rounding(const Tensor& a, const Tensor& b) {
  if (a.dims != b.dims) return false;
  const auto ours = numbers_in(a);
  const auto theirs = numbers_in(b);
  if (!ours || !theirs) return false;
  const std::optional<Sums> sums = sums_of(*ours, *theirs);
  constexpr double rounding = 1e-6;  // a few units in the last place of a float
  return sums && sums->max_abs <= rounding * sums->peak;
}

std::optional<Similarity> compare_tensors(const Tensor& reference, const Tensor& other) {
  if (reference.dims != other.dims) return std::nullopt;
  if (are_texts(reference, other)) {
    if (reference.strings != other.strings) return std::nullopt;
    Similarity same;
    same.identical = true;
    return same;
  }
  const auto ours = numbers_in(reference);
  const auto theirs = numbers_in(other);
  if (!ours || !theirs) return std::nullopt;
  const std::optional<Sums> sums = sums_of(*ours, *theirs);
  if (!sums) return std::nullopt;
  Similarity result;
  result.identical = reference.type == other.type && *reference.bytes() == *other.bytes();
  result.max_abs = sums->max_abs;
  result.cosine = cosine_of(*ours, *theirs);
  if (sums->noise > 0 && sums->signal > 0) {
    const auto count = static_cast<double>(ours->size());
    result.sqnr_db = 10 * std::log10(sums->signal / sums->noise);
    result.psnr_db = 10 * std::log10(sums->peak * sums->peak * count / sums->noise);
  }
  result.top1_agreement = agreement(reference, *ours, *theirs);
  return result;
}

std::string why_not_comparable(const Tensor& reference, const Tensor& other) {
  if (reference.dims != other.dims)
    return shape_text(other) + " where the reference has " + shape_text(reference);
  if (are_texts(reference, other)) {
    std::size_t apart = 0;
    for (std::size_t i = 0; i < reference.strings.size(); ++i)
      apart += reference.strings[i] != other.strings[i] ? 1 : 0;
    return std::to_string(apart) + " of " + counted(reference.strings.size(), "text") +
           " are others";
  }
  const auto ours = numbers_in(reference);
  const auto theirs = numbers_in(other);
  if (!ours || !theirs) return "it holds no numbers";
  const std::size_t count = ours->size();
  const std::string all = " of " + counted(count, "number");
  if (const std::size_t bad = not_finite_alone(*theirs, *ours); bad > 0)
    return std::to_string(bad) + all + " not finite, and finite in the reference";
  if (const std::size_t bad = not_finite_alone(*ours, *theirs); bad > 0)
    return std::to_string(bad) + all + " not finite in the reference alone";
  return "infinities or NaNs that are not the reference's";
}

}  // namespace hone
