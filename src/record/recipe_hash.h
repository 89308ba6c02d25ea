#pragma once
// The identity of a recipe.

#include <string>

#include "record/recipe.h"

namespace hone {

// The SHA-256 of the canonical JSON.
std::string hash_of(const Recipe& recipe);

}  // namespace hone
