#pragma once
// Figures of pictures that were made of pictures, pixel by pixel.

#include <cstdint>
#include <span>

namespace hone {

// Of each class: pixels that are of it in both, in what was expected, and in the answer.
struct RegionCounts {
  double both = 0;
  double expected = 0;
  double got = 0;
};
// The mean of both by either over the classes that were expected or given.
double mean_iou(std::span<const RegionCounts> classes);

struct DepthErrors {
  double relative = 0;  // mean of |got - expected| / expected
  double within = 0;    // share of pixels where the larger is less than 1.25 times the smaller
};
// REQUIRES: as many of both, more than none, and no expected depth that is not above 0.
DepthErrors depth_errors(std::span<const double> expected, std::span<const double> got);
// What a model of relative depth gives, scaled and moved to fit best (least squares).
struct Fit {
  double scale = 1;
  double shift = 0;
};
Fit fit_to(std::span<const double> expected, std::span<const double> got);

// In dB. Of equal pictures there is none: the caller says what that is worth.
double psnr_of(std::span<const double> expected, std::span<const double> got, double range);

struct Plane {
  std::size_t width = 0;
  std::size_t height = 0;
  std::span<const double> values;
};
// Structural similarity as Wang et al. (2004) have it: a Gaussian window of 11 x 11 with a
// deviation of 1.5, variances of the population, mean over the pixels whose window is inside.
// REQUIRES: planes of one size, at least 11 x 11.
double ssim_of(const Plane& expected, const Plane& got, double range);

}  // namespace hone
