#pragma once
// A call that cannot be meant, and what to call instead.

#include <string>

#include "base/result.h"

namespace hone {

inline Failure misuse(std::string what, std::string hint) {
  return fail(Fault::bad_input, std::move(what), {}, std::move(hint));
}

}  // namespace hone
