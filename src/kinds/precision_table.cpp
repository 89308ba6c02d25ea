// The list alone, so that a test can put its own in its place.

#include "kinds/precision.h"

namespace hone {

std::span<const Precision> all_precisions() {
  static const std::vector<Precision> all = {
#define HONE_PRECISION(name) precisions::name(),
#include "kinds/precisions.inc"
#undef HONE_PRECISION
  };
  return all;
}

}  // namespace hone
