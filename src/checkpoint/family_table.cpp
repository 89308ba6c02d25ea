// The list alone, so that a test can put its own in its place.

#include "checkpoint/family.h"

namespace hone {

std::span<const Family> all_families() {
  static const std::vector<Family> all = {
#define HONE_FAMILY(name) families::name(),
#include "checkpoint/families.inc"
#undef HONE_FAMILY
  };
  return all;
}

}  // namespace hone
