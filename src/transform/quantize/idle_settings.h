#pragma once
// What is said of quantizing and would do nothing: each precision looks at some settings alone. A
// setting that nobody looks at is a mistake of whoever said it, and out of place in a command that
// asks for another precision.

#include <string>
#include <string_view>
#include <vector>

#include "record/recipe.h"

namespace hone {

struct IdleSetting {
  std::string_view name;   // the field of QuantizeRecipe
  std::string_view needs;  // what would look at it
};

// Those that are not as usual, in a fixed order. A precision that there is not counts as one of
// integers with scales: what is wrong with it is said by whoever looks it up.
std::vector<IdleSetting> idle_settings(const QuantizeRecipe& recipe);

// Makes them as usual.
void reset_idle_settings(QuantizeRecipe& recipe);

}  // namespace hone
