// The list alone, so that a test can put its own in its place.

#include "transform/pass.h"

namespace hone {

std::span<const Pass> all_passes() {
  static const std::vector<Pass> all = {
#define HONE_PASS(name) passes::name(),
#include "transform/passes.inc"
#undef HONE_PASS
  };
  return all;
}

}  // namespace hone
