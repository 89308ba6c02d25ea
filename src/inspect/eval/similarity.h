#pragma once
// How far one tensor is from another that it should equal.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/tensor.h"

namespace hone {

struct Similarity {
  bool identical = false;         // bit for bit
  double max_abs = 0;             // the largest difference
  double cosine = 1;              // of two vectors of zeros 1, of one and another 0
  std::optional<double> sqnr_db;  // nothing where there is no noise, or no signal
  // Of the reference's largest magnitude to the mean square error.
  std::optional<double> psnr_db;
  // The share of rows along the last axis whose largest element is at the same place. For [N,C] and
  // [N,T,C] only: elsewhere the last axis is no choice between classes.
  std::optional<double> top1_agreement;
};

// Nothing where the two cannot be compared: other shapes, other texts, no numbers, or a value that
// is not finite on one side only.
std::optional<Similarity> compare_tensors(const Tensor& reference, const Tensor& other);
// Which of these it is, in words: "[1,4] where the reference has [1,3]". REQUIRES: they cannot be.
std::string why_not_comparable(const Tensor& reference, const Tensor& other);

// Whether a tensor is the other but for rounding. Values that are not finite say nothing.
bool is_same_but_for_rounding(const Tensor& a, const Tensor& b);

// The cosine of the angle between two vectors of one length, as Similarity has it.
double cosine_of(std::span<const double> a, std::span<const double> b);

// All elements, flags as 0 and 1; nothing where they are no numbers.
std::optional<std::vector<double>> numbers_in(const Tensor& tensor);

// Where the largest element is; the first of equal ones. REQUIRES: row is not empty.
std::size_t index_of_largest(std::span<const double> row);

}  // namespace hone
