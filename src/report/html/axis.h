#pragma once
// Where values stand on a plot, in percent of its width or height. Percent, so that a plot takes
// the width of its page while its text and lines keep their size.

#include <span>
#include <string>
#include <vector>

namespace hone {

enum class AxisScale { linear, logarithmic };

class Axis {
 public:
  // Holds all values, with room beside them. Values that cannot be drawn (not finite; for a
  // logarithmic axis not above 0) are ignored.
  Axis(AxisScale scale, std::span<const double> values);

  // Between 0 and 100, whatever the value.
  double at(double value) const;
  // "37.50%"
  std::string percent(double value) const;
  // At most six round numbers, in order, whose labels do not touch each other.
  std::vector<double> ticks() const;
  // A tick as text, with the decimals that tell it from the next one.
  std::string label(double tick) const;

 private:
  bool has_powers() const;
  double step() const;
  void drop_crowded(std::vector<double>& ticks) const;

  AxisScale scale_;
  double low_ = 0;  // of the values, before they are scaled
  double high_ = 1;
};

// "37.50%" of a share of the plot from 0 to 100.
std::string percent_of_plot(double share);

}  // namespace hone
