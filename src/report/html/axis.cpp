#include "report/html/axis.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "report/trace/text.h"

namespace hone {
namespace {

constexpr double room = 0.06;           // of the axis, on both sides of the outermost values
constexpr double smallest_span = 0.02;  // an axis of one value has room too
constexpr int most_ticks = 5;           // or one more; more would touch each other on a phone

// What lies beyond is drawn at the edge. No time is a million times another, and arithmetic with
// what a damaged file may hold instead would overflow.
constexpr double smallest_ratio = 1e-6;
constexpr double largest_ratio = 1e6;
constexpr double largest_number = 1e12;

// Beyond this ratio of its ends a logarithmic axis has powers as ticks, below it round steps: two
// of them would stand too close at the upper end.
constexpr double wide = 8;

double drawable(AxisScale scale, double value) {
  return scale == AxisScale::logarithmic ? std::clamp(value, smallest_ratio, largest_ratio)
                                         : std::clamp(value, -largest_number, largest_number);
}

template <class... Format>
std::string number(double value, Format... format) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return {buffer.data(), end.ptr};
}

}  // namespace

Axis::Axis(AxisScale scale, std::span<const double> values) : scale_(scale) {
  bool is_first = true;
  for (double value : values) {
    if (!std::isfinite(value) || (scale == AxisScale::logarithmic && value <= 0)) continue;
    value = drawable(scale, value);
    low_ = is_first ? value : std::min(low_, value);
    high_ = is_first ? value : std::max(high_, value);
    is_first = false;
  }
  if (is_first) low_ = high_ = 1;
  if (scale == AxisScale::logarithmic) {
    const double pad = std::max(std::log(high_ / low_) * room, smallest_span);
    low_ *= std::exp(-pad);
    high_ *= std::exp(pad);
  } else {
    const double least = std::max(std::abs(high_), 1e-6) * smallest_span;
    const double pad = high_ > low_ ? (high_ - low_) * room : least;
    low_ -= pad;
    high_ += pad;
  }
}

bool Axis::has_powers() const { return scale_ == AxisScale::logarithmic && high_ / low_ > wide; }

double Axis::at(double value) const {
  if (!std::isfinite(value)) return 0;
  const auto scaled = [&](double number) {
    return scale_ == AxisScale::logarithmic ? std::log(std::max(number, smallest_ratio)) : number;
  };
  const double share = (scaled(value) - scaled(low_)) / (scaled(high_) - scaled(low_));
  return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * 100 : 0;
}

std::string Axis::percent(double value) const { return percent_of_plot(at(value)); }

double Axis::step() const {
  const double least = (high_ - low_) / most_ticks;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1, 2, 5}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

// Labels of a logarithmic axis stand side by side and crowd at its upper end: those that would
// touch on the narrowest plot go, and the baseline's 1 stays.
void Axis::drop_crowded(std::vector<double>& ticks) const {
  constexpr double character = 4.5;  // in percent of the narrowest plot, of 160 pixels
  constexpr double gap = 4;
  const auto needs = [&](double one, double other) {
    const auto characters = static_cast<double>(label(one).size() + label(other).size());
    return characters / 2 * character + gap;
  };
  std::vector<double> kept;
  const auto keep = [&](double tick) {
    const bool is_free = std::ranges::none_of(
        kept, [&](double other) { return std::abs(at(tick) - at(other)) < needs(tick, other); });
    if (is_free) kept.push_back(tick);
  };
  for (const double tick : ticks)
    if (label(tick) == label(1)) keep(tick);
  for (const double tick : ticks) keep(tick);
  std::ranges::sort(kept);
  ticks = std::move(kept);
}

std::vector<double> Axis::ticks() const {
  // A power of two for each octave, or for each second, third, ... one.
  const double octaves = std::ceil(std::log2(high_ / low_) / most_ticks);
  const double width = has_powers() ? std::max(octaves, 1.0) : step();
  const auto tick_number = [&](double value) {
    return has_powers() ? std::log2(value) / width : value / width;
  };
  const double first = std::ceil(tick_number(low_));
  std::vector<double> ticks;
  for (int i = 0; i <= most_ticks && first + i <= tick_number(high_); ++i) {
    const double tick = (first + i) * width;
    ticks.push_back(has_powers() ? std::exp2(tick) : tick);
  }
  if (scale_ == AxisScale::logarithmic) drop_crowded(ticks);
  return ticks;
}

std::string Axis::label(double tick) const {
  if (has_powers()) return number(tick, std::chars_format::general, tick < 1 ? 2 : 7);
  const double decimals = -std::floor(std::log10(step()) + 1e-9);
  return text_form::fixed(tick, static_cast<int>(std::clamp(decimals, 0.0, 9.0)));
}

std::string percent_of_plot(double share) {
  const double value = std::isfinite(share) ? std::clamp(share, 0.0, 100.0) : 0;
  return number(value, std::chars_format::fixed, 2) + "%";
}

}  // namespace hone
