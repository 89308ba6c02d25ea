#include "record/recipe_hash.h"

#include "base/hash.h"

namespace hone {

std::string hash_of(const Recipe& recipe) { return sha256(to_json(recipe).canonical()).hex(); }

}  // namespace hone
