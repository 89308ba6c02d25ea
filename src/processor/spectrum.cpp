#include "processor/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hone {
namespace {

std::size_t smallest_factor(std::size_t number) {
  for (std::size_t factor = 2; factor * factor <= number; ++factor) {
    if (number % factor == 0) return factor;
  }
  return number;
}

// NumPy's linspace.
std::vector<double> evenly(double low, double high, std::size_t count) {
  std::vector<double> values(count);
  const double step = (high - low) / static_cast<double>(count - 1);
  for (std::size_t i = 0; i < count; ++i) values[i] = low + static_cast<double>(i) * step;
  values.back() = high;
  return values;
}

// Slaney's: straight below 1000 Hz, logarithmic above.
constexpr double turn_hertz = 1000.0;
constexpr double turn_mel = 15.0;

double slaney_mel(double hertz) {
  if (hertz < turn_hertz) return 3.0 * hertz / 200.0;
  return turn_mel + std::log(hertz / turn_hertz) * (27.0 / std::log(6.4));
}

double slaney_hertz(double mel) {
  if (mel < turn_mel) return 200.0 * mel / 3.0;
  return turn_hertz * std::exp(std::log(6.4) / 27.0 * (mel - turn_mel));
}

double kaldi_mel(double hertz) { return 1127.0 * std::log(1.0 + hertz / 700.0); }

// `edges` are two more than there are triangles.
MelFilters triangles(const std::vector<double>& places, const std::vector<double>& edges) {
  MelFilters made;
  for (std::size_t i = 0; i + 2 < edges.size(); ++i) {
    MelFilters::Filter filter;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double up = (places[k] - edges[i]) / (edges[i + 1] - edges[i]);
      const double down = (edges[i + 2] - places[k]) / (edges[i + 2] - edges[i + 1]);
      const double weight = std::max(0.0, std::min(up, down));
      if (weight == 0.0) continue;
      if (filter.weights.empty()) filter.first = k;
      filter.weights.push_back(weight);
    }
    made.filters.push_back(std::move(filter));
  }
  return made;
}

}  // namespace

std::size_t largest_factor(std::size_t number) {
  std::size_t largest = 1;
  while (number > 1) {
    const std::size_t factor = smallest_factor(number);
    largest = std::max(largest, factor);
    number /= factor;
  }
  return largest;
}

Fourier::Fourier(std::size_t length) : length_(length), turns_(length), out_(length) {
  for (std::size_t k = 0; k < length; ++k) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
    turns_[k] = {std::cos(angle), std::sin(angle)};
  }
  lane_.resize(largest_factor(length));
}

// Every `stride`th sample, `count` of them: as many transforms as the smallest factor says, and
// their sums.
void Fourier::transform(const double* in, Complex* out, std::size_t count, std::size_t stride) {
  if (count == 1) {
    *out = {*in, 0};
    return;
  }
  const std::size_t lanes = smallest_factor(count);
  const std::size_t part = count / lanes;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    transform(in + lane * stride, out + lane * part, part, stride * lanes);
  const std::size_t step = length_ / count;
  for (std::size_t k = 0; k < part; ++k) {
    for (std::size_t lane = 0; lane < lanes; ++lane) lane_[lane] = out[lane * part + k];
    for (std::size_t row = 0; row < lanes; ++row) {
      Complex sum = lane_[0];
      const std::size_t place = k + row * part;
      for (std::size_t lane = 1; lane < lanes; ++lane) {
        const Complex turn = turns_[place * lane % count * step];
        sum.re += lane_[lane].re * turn.re - lane_[lane].im * turn.im;
        sum.im += lane_[lane].re * turn.im + lane_[lane].im * turn.re;
      }
      out[place] = sum;
    }
  }
}

void Fourier::power(std::span<const double> samples, std::vector<double>& into) {
  transform(samples.data(), out_.data(), length_, 1);
  into.resize(length_ / 2 + 1);
  for (std::size_t k = 0; k < into.size(); ++k) {
    const double re = static_cast<float>(out_[k].re);
    const double im = static_cast<float>(out_[k].im);
    into[k] = re * re + im * im;
  }
}

MelFilters slaney_filters(std::size_t count, std::size_t frequencies, double rate, double highest) {
  std::vector<double> edges = evenly(0, slaney_mel(highest), count + 2);
  for (double& edge : edges) edge = slaney_hertz(edge);
  MelFilters made = triangles(evenly(0, std::floor(rate / 2), frequencies), edges);
  for (std::size_t i = 0; i < count; ++i) {
    for (double& weight : made.filters[i].weights) weight *= 2.0 / (edges[i + 2] - edges[i]);
  }
  return made;
}

MelFilters kaldi_filters(std::size_t count, std::size_t frequencies, double rate, double lowest,
                         double highest) {
  const std::vector<double> edges = evenly(kaldi_mel(lowest), kaldi_mel(highest), count + 2);
  const double width = rate / (static_cast<double>(frequencies - 1) * 2);
  std::vector<double> places(frequencies);
  for (std::size_t k = 0; k < frequencies; ++k)
    places[k] = kaldi_mel(width * static_cast<double>(k));
  return triangles(places, edges);
}

void apply(const MelFilters& filters, std::span<const double> power, double least, double* into) {
  for (const MelFilters::Filter& filter : filters.filters) {
    double sum = 0;
    for (std::size_t k = 0; k < filter.weights.size(); ++k)
      sum += filter.weights[k] * power[filter.first + k];
    *into++ = std::max(sum, least);
  }
}

std::vector<double> hann_window(std::size_t length, bool is_periodic) {
  std::vector<double> window(length);
  const auto last = static_cast<double>(is_periodic ? length : length - 1);
  for (std::size_t i = 0; i < length; ++i)
    window[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / last);
  return window;
}

}  // namespace hone
