// The list alone, so that a test can put its own in its place.

#include "measure/monitor.h"

namespace hone {

std::span<const Monitor> all_monitors() {
  static const std::vector<Monitor> all = {
#define HONE_MONITOR(name) monitors::name(),
#include "measure/monitors.inc"
#undef HONE_MONITOR
  };
  return all;
}

}  // namespace hone
