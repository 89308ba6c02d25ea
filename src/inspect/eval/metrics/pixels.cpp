#include "inspect/eval/metrics/pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace hone {
namespace {

constexpr std::size_t window = 11;
constexpr double deviation = 1.5;

std::array<double, window> gaussian() {
  std::array<double, window> weights{};
  double sum = 0;
  for (std::size_t i = 0; i < window; ++i) {
    const double distance = static_cast<double>(i) - 5;
    weights[i] = std::exp(-distance * distance / (2 * deviation * deviation));
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// The weighted mean of every window that is inside.
std::vector<double> smoothed(const std::vector<double>& values, std::size_t width,
                             std::size_t height) {
  static const std::array<double, window> weights = gaussian();
  const std::size_t columns = width - window + 1;
  const std::size_t rows = height - window + 1;
  std::vector<double> across(columns * height, 0.0);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      for (std::size_t i = 0; i < window; ++i)
        across[y * columns + x] += weights[i] * values[y * width + x + i];
    }
  }
  std::vector<double> both(columns * rows, 0.0);
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      for (std::size_t i = 0; i < window; ++i)
        both[y * columns + x] += weights[i] * across[(y + i) * columns + x];
    }
  }
  return both;
}

std::vector<double> product_of(std::span<const double> a, std::span<const double> b) {
  std::vector<double> product(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) product[i] = a[i] * b[i];
  return product;
}

}  // namespace

double mean_iou(std::span<const RegionCounts> classes) {
  double sum = 0;
  double seen = 0;
  for (const RegionCounts& counts : classes) {
    const double either = counts.expected + counts.got - counts.both;
    if (either <= 0) continue;
    sum += counts.both / either;
    ++seen;
  }
  return seen > 0 ? sum / seen : 0;
}

DepthErrors depth_errors(std::span<const double> expected, std::span<const double> got) {
  DepthErrors errors;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    errors.relative += std::abs(got[i] - expected[i]) / expected[i];
    const double ratio = std::max(got[i] / expected[i], expected[i] / got[i]);
    errors.within += got[i] > 0 && ratio < 1.25 ? 1 : 0;
  }
  const auto count = static_cast<double>(expected.size());
  return {errors.relative / count, errors.within / count};
}

Fit fit_to(std::span<const double> expected, std::span<const double> got) {
  const auto count = static_cast<double>(expected.size());
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    x += got[i];
    y += expected[i];
    xx += got[i] * got[i];
    xy += got[i] * expected[i];
  }
  const double spread = count * xx - x * x;
  if (spread <= 0) return {0, y / count};
  const double scale = (count * xy - x * y) / spread;
  return {scale, (y - scale * x) / count};
}

double psnr_of(std::span<const double> expected, std::span<const double> got, double range) {
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    sum += (expected[i] - got[i]) * (expected[i] - got[i]);
  return 10 * std::log10(range * range / (sum / static_cast<double>(expected.size())));
}

double ssim_of(const Plane& expected, const Plane& got, double range) {
  const std::size_t width = expected.width;
  const std::size_t height = expected.height;
  const std::vector<double> x(expected.values.begin(), expected.values.end());
  const std::vector<double> y(got.values.begin(), got.values.end());
  const std::vector<double> mean_x = smoothed(x, width, height);
  const std::vector<double> mean_y = smoothed(y, width, height);
  const std::vector<double> xx = smoothed(product_of(x, x), width, height);
  const std::vector<double> yy = smoothed(product_of(y, y), width, height);
  const std::vector<double> xy = smoothed(product_of(x, y), width, height);
  const double c1 = 0.01 * range * 0.01 * range;
  const double c2 = 0.03 * range * 0.03 * range;
  double sum = 0;
  for (std::size_t i = 0; i < xx.size(); ++i) {
    const double means = mean_x[i] * mean_y[i];
    const double squares = mean_x[i] * mean_x[i] + mean_y[i] * mean_y[i];
    const double variances = xx[i] + yy[i] - squares;
    sum += (2 * means + c1) * (2 * (xy[i] - means) + c2) / ((squares + c1) * (variances + c2));
  }
  return sum / static_cast<double>(xx.size());
}

}  // namespace hone
