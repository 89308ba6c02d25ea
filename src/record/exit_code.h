#pragma once
// How the program ends by what went wrong, and what a call of libhone returns (ARCHITECTURE.md,
// decision 10).

#include "base/result.h"

namespace hone {

// What the caller can mend by calling differently is 2; what failed on the way is 1; what was
// looked at and found wanting is 3.
constexpr int exit_code_of(Fault fault) {
  switch (fault) {
    case Fault::bad_input:
    case Fault::not_found:
      return 2;
    case Fault::not_held:
      return 3;
    case Fault::unsupported:
    case Fault::runtime:
    case Fault::io:
    case Fault::timeout:
      return 1;
  }
  return 1;
}

}  // namespace hone
