#include "transform/quantize/method.h"

namespace hone::methods {

CalibrationMethod minmax() { return {.name = "minmax", .summary = "All that was seen"}; }

}  // namespace hone::methods
