// The list alone, so that a test can put its own in its place.

#include "catalog/publisher.h"

namespace hone {

std::span<const Publisher> all_publishers() {
  static const std::vector<Publisher> all = {
#define HONE_PUBLISHER(name) publishers::name(),
#include "catalog/publishers.inc"
#undef HONE_PUBLISHER
  };
  return all;
}

}  // namespace hone
