#pragma once
// Options that were given and would do nothing: a mistake, and a gate among them a trap.

#include <initializer_list>

#include "base/result.h"

namespace hone::app {

struct IdleOption {
  const char* option;
  bool is_given;
  const char* needs;  // null: it does something
};

// Names the first of them, and what it needs.
Status refuse_idle(std::initializer_list<IdleOption> options);

}  // namespace hone::app
