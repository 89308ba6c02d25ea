// The list alone, so that a test can put its own in its place.

#include "kinds/ep.h"

namespace hone {

std::span<const Ep> all_eps() {
  static const std::vector<Ep> all = {
#define HONE_EP(name) eps::name(),
#include "kinds/eps.inc"
#undef HONE_EP
  };
  return all;
}

}  // namespace hone
