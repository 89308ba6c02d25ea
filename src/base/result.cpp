#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace hone {

void abort_on_broken_invariant(const char* claim, const char* file, int line) {
  std::fprintf(stderr, "hone: internal error: '%s' does not hold (%s:%d)\n", claim, file, line);
  std::abort();
}

}  // namespace hone
