// The list alone, so that a test can put its own in its place.

#include "transform/quantize/method.h"

namespace hone {

std::span<const CalibrationMethod> all_methods() {
  static const std::vector<CalibrationMethod> all = {
#define HONE_METHOD(name) methods::name(),
#include "transform/quantize/methods.inc"
#undef HONE_METHOD
  };
  return all;
}

}  // namespace hone
