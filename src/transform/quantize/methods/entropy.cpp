#include "transform/quantize/method.h"

namespace hone::methods {
namespace {

RealRange range(const Histogram& numbers, RealRange seen, const MethodSettings& /*settings*/) {
  return entropy_range(numbers, seen);
}

}  // namespace

CalibrationMethod entropy() {
  return {.name = "entropy",
          .summary = "The part that, rounded to 128 levels, diverges least from what was seen",
          .counts = Counting::numbers,
          .has_bins_of_preset = true,
          .range = range};
}

}  // namespace hone::methods
