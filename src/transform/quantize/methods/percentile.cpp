#include "transform/quantize/method.h"

namespace hone::methods {
namespace {

RealRange range(const Histogram& magnitudes, RealRange seen, const MethodSettings& settings) {
  return percentile_range(magnitudes, seen, settings.percentile);
}

}  // namespace

CalibrationMethod percentile() {
  return {.name = "percentile",
          .summary = "All but the largest magnitudes, of which --percentile are kept",
          .counts = Counting::magnitudes,
          .takes_percentile = true,
          .range = range};
}

}  // namespace hone::methods
