#pragma once
// Calibration methods: how the range of an activation is found from what it was seen to hold. A
// method is one file in methods/ that returns a CalibrationMethod, and one line in methods.inc;
// options, recipes, help and docs/quantize.md are derived from it.

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "transform/quantize/histogram.h"

namespace hone {

// What calibration has to count of a tensor, besides its extremes.
enum class Counting {
  nothing,
  numbers,     // a histogram from minus to plus the largest magnitude
  magnitudes,  // one from the smallest magnitude to the largest
};

// What people may set of a method.
struct MethodSettings {
  double percentile = 99.999;  // the share of magnitudes that is kept
};

struct CalibrationMethod {
  std::string_view name;     // for ever: recipes hold it
  std::string_view summary;  // which part of what was seen; at most 72 characters, no full stop
  Counting counts = Counting::nothing;
  bool has_bins_of_preset = false;  // else 2048
  bool takes_percentile = false;    // MethodSettings says which
  // Null where the extremes are the range. `seen` are the extremes.
  RealRange (*range)(const Histogram& counted, RealRange seen,
                     const MethodSettings& settings) = nullptr;
};

// In the order in which methods are listed; the first is the default.
std::span<const CalibrationMethod> all_methods();
// The one of that name; the error lists them all, and names the nearest.
Result<CalibrationMethod> find_method(std::string_view name);

namespace methods {
#define HONE_METHOD(name) CalibrationMethod name();
#include "transform/quantize/methods.inc"
#undef HONE_METHOD
}  // namespace methods

}  // namespace hone
