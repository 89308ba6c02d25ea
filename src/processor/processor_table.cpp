// The list alone, so that a test can put its own in its place.

#include "processor/processor.h"

namespace hone {

std::span<const ProcessorKind> all_processors() {
  static const std::vector<ProcessorKind> all = {
#define HONE_PROCESSOR(name) processors::name(),
#include "processor/processors.inc"
#undef HONE_PROCESSOR
  };
  return all;
}

}  // namespace hone
