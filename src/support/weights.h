#pragma once
// What the weights of a model must be made of to be called by the name of a precision.

#include <cstdint>
#include <map>
#include <string>

#include "record/recipe.h"

namespace hone {

// Why these weights (bytes by element type) are not what the recipe's precision says; empty where
// they are. A name is not a type: files called fp16 that hold float weights have been shipped.
std::string weights_problem(const Recipe& recipe,
                            const std::map<std::string, std::uint64_t>& weight_bytes);

}  // namespace hone
