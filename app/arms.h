#pragma once
// The arms of a race as users name them: by key=value words, as build folders, as the EPs of this
// machine.

#include <string>
#include <vector>

#include "app/where.h"
#include "measure/race.h"
#include "record/recipe.h"

namespace hone::app {

struct GivenArm {
  RaceArm arm;
  std::vector<std::string> notes;  // what the recipe of its build folder decided
};

// "fast:model=b.onnx,threads=2", over what all arms have. With recipe=FILE the model is built for
// the race, below `builds`, and run as the recipe says. "\\," is a comma inside of a value.
Result<GivenArm> arm_of_word(const std::string& word, const Where& where, const Path& builds);

// The word of an arm that runs a model as a recipe says.
std::string word_of_arm(const std::string& name, const std::string& model, const Recipe& recipe);

// A model, or the folder of a build: then it runs as its recipe says. It goes by the path that was
// given, because many builds are called model.onnx.
Result<GivenArm> arm_of_build(const std::string& model, const Where& where);

// One arm for each EP that can run a model here, and each kind of device it has. The CPU comes
// first. The simulated EP is none of them.
Result<std::vector<RaceArm>> arms_of_all_eps(const std::string& model, const Where& where);

}  // namespace hone::app
