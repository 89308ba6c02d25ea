#pragma once
// The options that make a recipe, the same in `config`, `build` and `recipe`.

#include "app/options.h"
#include "flow/recipe_choice.h"

namespace hone::app {

// Where the result runs is part of them.
void declare_recipe(Options& options, RecipeWishes& wishes, Where& where);

}  // namespace hone::app
