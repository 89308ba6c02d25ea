#pragma once
// The arms of a race as users name them: by key=value words, as build folders, as the EPs of this
// machine.

#include <string>
#include <vector>

#include "app/where.h"
#include "measure/race.h"

namespace hone::app {

// "fast:model=b.onnx,threads=2", over what all arms have. With recipe=FILE the model is built for
// the race, below `builds`, and run as the recipe says.
Result<RaceArm> arm_of_word(const std::string& word, const WhereArguments& where,
                            const Path& builds);

// A model, or the folder of a build: then it runs as its recipe says. It goes by the file's name.
Result<RaceArm> arm_of_build(const std::string& model, const WhereArguments& where);

// One arm for each EP that can run a model here, and each kind of device it has. The CPU comes
// first. The simulated EP is none of them.
Result<std::vector<RaceArm>> arms_of_all_eps(const std::string& model, const WhereArguments& where);

}  // namespace hone::app
