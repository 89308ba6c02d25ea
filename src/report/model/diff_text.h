#pragma once
// What changed between two models, for people.

#include <string>

#include "record/model_diff.h"
#include "report/style.h"

namespace hone {

// Long lists and names are cut, unless all is asked for.
std::string describe_model_diff(const ModelDiff& diff, const Style& style, bool shows_all);

}  // namespace hone
