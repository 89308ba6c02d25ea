#pragma once
// What somebody typed or wrote cannot be used: what it is, and what to give instead.

#include <string>
#include <utility>

#include "base/result.h"

namespace hone {

inline Failure misuse(std::string what, std::string hint) {
  return fail(Fault::bad_input, std::move(what), {}, std::move(hint));
}

}  // namespace hone
